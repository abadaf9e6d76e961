package tail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// maxLinks is the maximum number of symbolic links at the end of a path.
const maxLinks = 8

var errLinks = errors.New("too many symbolic links")

// pathError returns an error of the system with the path in it.
func pathError(path string, err error) error { return &os.PathError{Op: "read", Path: path, Err: err} }

// openRegular opens a regular file of the user. It checks the file through a descriptor that cannot read, and opens it
// through that descriptor: nobody can swap the file in between.
func openRegular(path string) (file *os.File, shared bool, err error) {
	for range maxLinks {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, false, pathError(path, err)
		}
		file, to, err := followLink(fd, path)
		shared := onNetwork(fd)
		_ = unix.Close(fd) // nothing was written
		if err != nil || file != nil {
			return file, shared, err
		}
		if path = to; !filepath.IsAbs(to) {
			return nil, false, fmt.Errorf("%q is not an absolute path", to)
		}
	}
	return nil, false, pathError(path, errLinks)
}

// followLink opens the file behind a descriptor, or returns the path to which its symbolic link leads.
func followLink(fd int, path string) (file *os.File, to string, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, "", pathError(path, err)
	}
	if err := refusalError(path, fileMode(st.Mode), st.Uid, uint32(os.Geteuid())); err != nil {
		return nil, "", err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		target := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(fd, "", target)
		if err != nil {
			return nil, "", pathError(path, err)
		}
		if to = string(target[:n]); !filepath.IsAbs(to) {
			// not Join, which would take the parent of a link for the parent of its target
			to = filepath.Dir(path) + "/" + to
		}
		return nil, to, nil
	}
	file, err = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, "", pathError(path, os.ErrPermission)
	}
	return file, "", nil
}

// fileMode returns the type of a file.
func fileMode(bits uint32) fs.FileMode {
	switch bits & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	}
	return fs.ModeIrregular
}

// networks are the file systems that other hosts see too, by their number in statfs. FUSE counts as local, since it may
// be anything.
var networks = map[uint32]bool{
	unix.NFS_SUPER_MAGIC:  true,
	unix.CEPH_SUPER_MAGIC: true,
	unix.AFS_SUPER_MAGIC:  true,
	unix.V9FS_MAGIC:       true,
	unix.CIFS_SUPER_MAGIC: true,
	unix.SMB2_SUPER_MAGIC: true,
	0x0BD00BD0:            true, // Lustre
	0x47504653:            true, // GPFS
	0x19830326:            true, // BeeGFS
	0xAAD7AAEA:            true, // PanFS
	0x7461636F:            true, // OCFS2
	0x01161970:            true, // GFS2
	0x20030528:            true, // OrangeFS
	0x676B6673:            true, // WekaFS
}

// onNetwork reports whether other hosts see the file too.
func onNetwork(fd int) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(fd, &st) == nil && networks[uint32(st.Type)]
}
