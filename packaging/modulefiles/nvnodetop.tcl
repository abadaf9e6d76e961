#%Module1.0
# nvnodetop for Environment Modules. In the tree of a release it is PREFIX/share/nvnodetop/modulefiles/nvnodetop/VERSION and finds PREFIX
# by that: module use PREFIX/share/nvnodetop/modulefiles
# A copy in another tree of modules names the directory of the program here.
set version [file tail $ModulesCurrentModulefile]
set prefix /opt/nvnodetop/$version
regexp {^(.*)/share/nvnodetop/modulefiles/} $ModulesCurrentModulefile - prefix

module-whatis "Name: nvnodetop"
module-whatis "Version: $version"
module-whatis "Description: shows every GPU of your SLURM jobs, on all their nodes, on one screen"
module-whatis "Keywords: GPU, monitoring, SLURM"
module-whatis "URL: https://github.com/nvnodetop/nvnodetop"

proc ModulesHelp { } {
  puts stderr {
nvnodetop shows every GPU of your running SLURM jobs, on all their nodes, on one
screen, from the login node.

  nvnodetop            your jobs
  nvnodetop --demo     a simulated cluster
  nvnodetop help       all commands
  man nvnodetop        the manual}
}

conflict nvnodetop
if { [module-info mode load] && ![file isfile $prefix/bin/nvnodetop] } {
  puts stderr "There is no program $prefix/bin/nvnodetop: set prefix in $ModulesCurrentModulefile"
  exit 1
}

prepend-path PATH $prefix/bin
# Without MANPATH man finds share/man beside bin, and FPATH is zsh's own unless it is exported. Setting them would hide what the system has.
foreach { name dir } { MANPATH share/man FPATH share/zsh/site-functions } {
  if { [info exists env($name)] } {
    prepend-path $name $prefix/$dir
  }
}
# Completion in bash and fish. Without XDG_DATA_DIRS its default counts.
prepend-path XDG_DATA_DIRS $prefix/share
append-path XDG_DATA_DIRS /usr/local/share
append-path XDG_DATA_DIRS /usr/share
