package judge

import (
	"fmt"
	"slices"
	"strings"

	"watershed/sitemap"
)

// Variant is the recommended method with parts of it off or on.
type Variant struct {
	Name    string
	Options sitemap.Options
}

// module of the method that can be taken out and put back.
type module struct {
	name    string
	off, on func(*sitemap.Options)
}

// modules of some options. The first bare ones are what the shares do without; the others serve the
// shares and the flow themselves.
func modules(all sitemap.Options) (list []module, bare int) {
	return []module{
		{
			"edit distance", func(o *sitemap.Options) { o.NoEditDistance = true },
			func(o *sitemap.Options) { o.NoEditDistance = false },
		},
		{
			"MCL soft sources", func(o *sitemap.Options) { o.ClusterSource = -1 },
			func(o *sitemap.Options) { o.ClusterSource = all.ClusterSource },
		},
		{"lean", func(o *sitemap.Options) { o.Lean = -1 }, func(o *sitemap.Options) { o.Lean = all.Lean }},
		{"kinship", func(o *sitemap.Options) {
			o.Kinship = -1
		}, func(o *sitemap.Options) { o.Kinship = all.Kinship }},
		{
			"prior", func(o *sitemap.Options) { o.Prior, o.StrangerPrior = -1, -1 },
			func(o *sitemap.Options) { o.Prior, o.StrangerPrior = all.Prior, all.StrangerPrior },
		},
		{"wards", func(o *sitemap.Options) {
			o.WardSample = -1
		}, func(o *sitemap.Options) { o.WardSample = all.WardSample }},
		{"lists", func(o *sitemap.Options) {
			o.ListSample = -1
		}, func(o *sitemap.Options) { o.ListSample = all.ListSample }},
		{"waves", func(o *sitemap.Options) {
			o.FlatSample = -1
		}, func(o *sitemap.Options) { o.FlatSample = all.FlatSample }},
		{"documents", func(o *sitemap.Options) {
			o.Documents = -1
		}, func(o *sitemap.Options) { o.Documents = all.Documents }},
		{
			"MCL", func(o *sitemap.Options) { o.NoClusters = true },
			func(o *sitemap.Options) { o.NoClusters = false },
		},
		{
			"names", func(o *sitemap.Options) { o.StrangerPrior = o.WithDefaults().Prior },
			func(o *sitemap.Options) { o.StrangerPrior = all.StrangerPrior },
		},
		{"anchors", func(o *sitemap.Options) {
			o.AnchorMass = 1
		}, func(o *sitemap.Options) { o.AnchorMass = all.AnchorMass }},
		{"soft prefix", func(o *sitemap.Options) {
			o.Soft = -1
		}, func(o *sitemap.Options) { o.Soft = all.Soft }},
		{"bundles", func(o *sitemap.Options) {
			o.Bundle = 1000
		}, func(o *sitemap.Options) { o.Bundle = all.Bundle }},
		{"probes", func(o *sitemap.Options) {
			o.Probes = -1
		}, func(o *sitemap.Options) { o.Probes = all.Probes }},
	}, 9
}

// Ablation gives the variants of some options that show what each part contributes: all parts; each
// part off; each part on its own, over shares alone.
func Ablation(all sitemap.Options) []Variant {
	list, bare := modules(all)
	with := func(name string, change ...func(*sitemap.Options)) Variant {
		o := all
		for _, f := range change {
			f(&o)
		}
		return Variant{name, o}
	}
	variants := []Variant{with("all (recommended)")}
	for _, p := range list {
		variants = append(variants, with("without "+p.name, p.off))
	}
	var off []func(*sitemap.Options)
	for _, p := range list[:bare] {
		off = append(off, p.off)
	}
	variants = append(variants, with("shares alone", off...))
	for _, p := range list[:bare] {
		variants = append(variants, with("shares + "+p.name, append(off[:len(off):len(off)], p.on)...))
	}
	return variants
}

// Without is the variant of some options without several parts.
func Without(all sitemap.Options, parts ...string) (Variant, error) {
	list, _ := modules(all)
	v := Variant{"without " + strings.Join(parts, ", "), all}
	for _, name := range parts {
		i := slices.IndexFunc(list, func(m module) bool { return m.name == name })
		if i < 0 {
			return v, fmt.Errorf("no part of the method is called %q", name)
		}
		list[i].off(&v.Options)
	}
	return v, nil
}

// Method is the variant as a method to be compared.
func (v Variant) Method() Method {
	return Method{v.Name, func(e *Evaluation, s TruthSite) (inside, fetched []int32) {
		return e.found(s, v.Options)
	}}
}
