package sitemap

import "errors"

// ErrNoScale says that a site's boundary is no cut, and is drawn at no scale.
var ErrNoScale = errors.New("the site has no scales")
