package sitemap

// Variant is the recommended method with parts of it off or on.
type Variant struct {
	Name    string
	Options Options
}

// Ablation gives the variants of some options that show what each part contributes: all parts; each part off; each part on
// its own, over shares alone; and the parts that are off by default, on.
func Ablation(all Options) []Variant {
	type part struct {
		name    string
		off, on func(*Options)
	}
	inflation := all.Inflation
	parts := []part{
		{"edit distance", func(o *Options) { o.Similarity = Constant }, func(o *Options) { o.Similarity = EditDistance }},
		{"MCL soft sources", func(o *Options) { o.Clusters = NoClusters }, func(o *Options) { o.Clusters, o.Inflation = SoftSources, inflation }},
		{"kinship", func(o *Options) { o.Kinship = -1 }, func(o *Options) { o.Kinship = all.Kinship }},
		{"prior", func(o *Options) { o.Prior, o.StrangerPrior = -1, -1 }, func(o *Options) { o.Prior, o.StrangerPrior = all.Prior, all.StrangerPrior }},
		{"names", func(o *Options) { o.StrangerPrior = o.withDefaults().Prior }, func(o *Options) { o.StrangerPrior = all.StrangerPrior }},
		{"wards", func(o *Options) { o.WardSample = -1 }, func(o *Options) { o.WardSample = all.WardSample }},
		{"soft prefix", func(o *Options) { o.Soft = -1 }, func(o *Options) { o.Soft = all.Soft }},
		{"reverse arcs", func(o *Options) { o.Reverse = -1 }, func(o *Options) { o.Reverse = all.Reverse }},
		{"bundles", func(o *Options) { o.Bundle = 1000 }, func(o *Options) { o.Bundle = all.Bundle }},
		{"probes", func(o *Options) { o.Probes = -1 }, func(o *Options) { o.Probes = all.Probes }},
	}
	with := func(name string, change ...func(*Options)) Variant {
		o := all
		for _, f := range change {
			f(&o)
		}
		return Variant{name, o}
	}
	list := []Variant{with("all (recommended)")}
	for _, p := range parts {
		list = append(list, with("without "+p.name, p.off))
	}
	// What serves the flow itself (prefix, reverse arcs, bundles, probes) stays on below.
	bare := []func(*Options){parts[0].off, parts[1].off, parts[2].off, parts[3].off}
	list = append(list, with("shares alone", bare...))
	for _, p := range parts[:4] {
		list = append(list, with("shares + "+p.name, append(bare[:len(bare):len(bare)], p.on)...))
	}
	return append(list,
		with("all, edit distance between blocks too", func(o *Options) { o.Similarity = EditEverywhere }),
		with("all, MCL as a veto", func(o *Options) { o.Clusters = Veto }))
}

// Method is the variant as a method to be compared.
func (v Variant) Method() Method {
	return Method{v.Name, func(e *Evaluation, s TruthSite) (inside, fetched []int32) { return e.found(s, v.Options) }}
}
