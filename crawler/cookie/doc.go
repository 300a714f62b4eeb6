// Package cookie keeps the cookies without which a host gives no pages, and has no other one sent.
//
// A crawl asks for each URL as somebody who comes for the first time: what a page shows then does not
// depend on the pages before it, such as the language that somebody chose on one of them. Some hosts
// do not serve such visitors. Needs tells them by what they answer:
//
//	trail    a redirect sets a cookie: as in a browser it goes along with the redirects that follow,
//	         up to a page; it goes to no URL that was known already
//	circle   redirects lead back to a URL: it is asked for once more with the cookies of the trail.
//	         If it is a page then, the host keeps them: each of its URLs is asked for with them.
//	         So it is where the trail leads to a URL that was answered by a redirect elsewhere, as to
//	         a question of which a link answers "yes"
//	session  an answer writes the value of a cookie that it sets into its own links, as servers in
//	         Java and PHP do for who sends none: each visit would find all pages under new addresses.
//	         The host keeps the cookie, and the page is asked for once more
//	gate     the script of a page that a browser draws wants to load the page once more, by itself: the
//	         host keeps the cookies that the browser has for it, and the page is asked for once more
//	offer    pages in a row are answered alike, by a redirect to the home page, for instance, though a page
//	         that was given before is given again, and sets cookies: they are asked for once more with
//	         these. If that brings another page, the host keeps them
//
// Of a host that keeps cookies, later answers change these, and add none of another name. A host is a
// registrable domain. Cookies are in memory alone: after a restart hosts are found out anew, and a trail
// that was under way has ended.
//
// Source: RFC 6265; bounds by its section 6.1.
package cookie
