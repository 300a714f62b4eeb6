package configs

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// Upload says to which store the files of a run go; without a store they stay where they are.
type Upload struct {
	Store     string       `yaml:"store"` // a web address without a path
	Bucket    string       `yaml:"bucket"`
	Prefix    string       `yaml:"prefix"`
	Region    string       `yaml:"region"`
	AccessKey Secret       `yaml:"access_key"`
	SecretKey Secret       `yaml:"secret_key"`
	What      []UploadPart `yaml:"what"`
	When      UploadTime   `yaml:"when"`
}

// UploadPart is a kind of file that is uploaded.
type UploadPart string

func (UploadPart) Values() []string { return []string{"warc", "index", "package", "reports"} }

// AtEnd reports that a run is uploaded when it has ended.
func (u *Upload) AtEnd() bool { return u.Store != "" && u.When == UploadEnded }

// UploadTime says when a run is uploaded.
type UploadTime string

const (
	UploadEnded UploadTime = "ended" // when it has ended
	UploadAsked UploadTime = "asked" // by the command alone
)

func (UploadTime) Values() []string { return []string{"ended", "asked"} }

func (c *checker) upload() {
	const key = "upload"
	x := c.h.Upload
	if x.Store == "" {
		if (x.Bucket != "" || x.Prefix != "" || x.AccessKey != "" || x.SecretKey != "") && !c.failed(key) {
			c.at(key, "for example store: https://s3.library.example", "%s.store is required", key)
		}
		return
	}
	c.storeAddress(key+".store", x.Store)
	if !c.failed(key + ".bucket") {
		if x.Bucket == "" {
			c.at(key, "for example bucket: webarchive", "%s.bucket is required", key)
		} else if err := s3utils.CheckValidBucketNameStrict(x.Bucket); err != nil {
			c.at(key+".bucket", "3 to 63 lower-case letters, digits, dots and hyphens",
				"%s.bucket: %q is no bucket's name", key, x.Bucket)
		}
	}
	for step := range strings.SplitSeq(x.Prefix, "/") {
		if step == ".." || step == "." || strings.ContainsFunc(step, func(r rune) bool { return r < ' ' }) {
			c.at(key+".prefix", "for example webarchive/2026", "%s.prefix: %q is no prefix", key, x.Prefix)
			break
		}
	}
	for _, k := range []struct {
		name  string
		value Secret
	}{{"access_key", x.AccessKey}, {"secret_key", x.SecretKey}} {
		if name := key + "." + k.name; k.value == "" && !c.failed(name) {
			hint := "env:NAME for a variable of the environment, or file:PATH"
			c.at(key, fmt.Sprintf("write %s: %s", k.name, hint), "%s is required", name)
		}
	}
	if len(x.What) == 0 && !c.failed(key+".what") {
		c.at(key+".what", "warc, index, package, reports", "%s.what: nothing would be uploaded", key)
	}
}

func (c *checker) storeAddress(key, address string) {
	u, err := url.Parse(address)
	switch {
	case c.failed(key):
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		c.at(key, "for example https://s3.library.example", "%s: no web address", key)
	case u.User != nil:
		c.at(key, "access_key and secret_key say where they stand", "%s: no key stands in the YAML", key)
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		c.at(key, "the bucket stands under bucket, and a path in it under prefix",
			"%s: scheme, host and port alone", key)
	}
}
