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

// part is a module that one option steers, and that a value of it turns off.
func part[T any](name string, all sitemap.Options, of func(*sitemap.Options) *T, off T) module {
	return module{
		name, func(o *sitemap.Options) { *of(o) = off }, func(o *sitemap.Options) { *of(o) = *of(&all) },
	}
}

// modules of some options. The first bare ones are what the shares do without; the others serve the
// shares and the flow themselves.
func modules(all sitemap.Options) (list []module, bare int) {
	type options = sitemap.Options
	all.NoEditDistance, all.NoClusters = false, false // on their own they are on
	return []module{
		part("edit distance", all, func(o *options) *bool { return &o.NoEditDistance }, true),
		part("MCL soft sources", all, func(o *options) *float64 { return &o.ClusterSource }, -1),
		part("lean", all, func(o *options) *float64 { return &o.Lean }, -1),
		part("kinship", all, func(o *options) *float64 { return &o.Kinship }, -1),
		{
			"prior", func(o *options) { o.Prior, o.StrangerPrior = -1, -1 },
			func(o *options) { o.Prior, o.StrangerPrior = all.Prior, all.StrangerPrior },
		},
		part("wards", all, func(o *options) *int { return &o.WardSample }, -1),
		part("lists", all, func(o *options) *int { return &o.ListSample }, -1),
		part("waves", all, func(o *options) *int { return &o.FlatSample }, -1),
		part("documents", all, func(o *options) *float64 { return &o.Documents }, -1),
		part("MCL", all, func(o *options) *bool { return &o.NoClusters }, true),
		{
			"names", func(o *options) { o.StrangerPrior = o.WithDefaults().Prior },
			func(o *options) { o.StrangerPrior = all.StrangerPrior },
		},
		part("anchors", all, func(o *options) *float64 { return &o.AnchorMass }, 1),
		part("soft prefix", all, func(o *options) *float64 { return &o.Soft }, -1),
		part("bundles", all, func(o *options) *float64 { return &o.Bundle }, 1000),
		part("probes", all, func(o *options) *int { return &o.Probes }, -1),
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
