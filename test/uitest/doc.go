// Package uitest has what the tests of the screen share: invented clusters, always the same, and the pictures of a
// page.
package uitest
