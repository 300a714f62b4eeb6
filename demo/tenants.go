package demo

import "watershed/page"

// tenants are five strangers on one host, each below a directory of their own.
func (b *builder) tenants() {
	const campus = "http://people.campus.example/"
	b.host(host{name: "people.campus.example", dated: true, rules: rules{disallow: []string{"/~*/drafts/"}}})
	campusHome := b.add(&document{
		url: campus, title: "People of the campus",
		paras: []string{"Home pages of students and staff. Everyone answers for their own."},
	})
	for _, x := range []struct {
		name, title string
		topic       *topic
		sections    []section
	}{
		{"anna", "Anna's birds", birds(), []section{
			{"seen", "Seen this year", 7},
			{"places", "Places to go", 5},
		}},
		{"boris", "Boris plays chess", chess(), []section{
			{"games", "Games", 8},
			{"openings", "Openings", 5},
		}},
		{"clara", "Clara bakes", bread(), []section{{"recipes", "Recipes", 9}}},
		{"dmitri", "Dmitri on the air", radio(), []section{{"sets", "Receivers", 6}, {"log", "Log book", 6}}},
		{"emil", "Emil mends clocks", clocks(), []section{
			{"bench", "On the bench", 6},
			{"towers", "Tower clocks", 4},
		}},
	} {
		base := page.URL(campus + "~" + x.name + "/")
		b.site(x.name, base)
		t := b.write(volume{
			site: x.name, base: base, title: x.title, topic: x.topic, sections: x.sections, ext: ".htm",
			logo: b.picture(string(base)+"banner.png", 40, 10),
		})
		campusHome.link(to(t.home))
		t.home.link(link{kind: page.Navigation, place: foot, to: campusHome, text: "Everybody's pages"})
		b.trees[x.name] = t
	}
	b.trees["clara"].leaves[0].link(away("Birds in the bakery", campus+"~anna/"))
	b.foreign(b.trees["dmitri"])
}

// foreign adds pages in other alphabets, in charsets that say so only inside the page.
func (b *builder) foreign(t *tree) {
	d := b.compose(t, t.base+"po-russki.htm", "Радио по-русски", 0)
	d.charset = windows1251
	d.paras = []string{"Приёмник собран на чердаке. Антенна направлена на север, и ночью слышны далёкие " +
		"станции.", "Журнал наблюдений ведётся с весны. Пишите, если услышите маяк."}
	d.link(to(t.home))
	t.home.link(to(d))
}
