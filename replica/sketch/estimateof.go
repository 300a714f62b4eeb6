package sketch

// EstimateOf tells a share, common of sample features, that was counted elsewhere: from an index of
// shingles instead of two sketches. The whole is about how many features the sample stands for;
// exact says that it is all of them.
func EstimateOf(common, sample int, whole float64, exact bool) Estimate {
	return newEstimate(common, sample, whole, exact)
}
