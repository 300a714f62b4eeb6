// Package judge compares ways to draw the boundary of a site on webs whose sites are known: crawls
// by URL, the parts of the process of Senellart 2003, the survey of package sitemap with parts of
// it on and off, and the ceiling of any crawl that follows links. It gives means per class of site,
// the paper's tables 1 and 2, and the figures of its figure 10.
//
// A Truth is read once and then only read; an Evaluation is not safe for concurrent use.
package judge
