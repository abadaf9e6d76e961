-- nvnodetop for Lmod. In the tree of a release it is PREFIX/share/nvnodetop/modulefiles/nvnodetop/VERSION.lua and finds PREFIX by that:
--   module use PREFIX/share/nvnodetop/modulefiles
-- A copy in another tree of modules names the directory of the program here.
local prefix = myFileName():match("^(.*)/share/nvnodetop/modulefiles/") or pathJoin("/opt/nvnodetop", myModuleVersion())

whatis("Name: nvnodetop")
whatis("Version: " .. myModuleVersion())
whatis("Description: shows every GPU of your SLURM jobs, on all their nodes, on one screen")
whatis("Keywords: GPU, monitoring, SLURM")
whatis("URL: https://github.com/nvnodetop/nvnodetop")
help([==[
nvnodetop shows every GPU of your running SLURM jobs, on all their nodes, on one
screen, from the login node.

  nvnodetop            your jobs
  nvnodetop --demo     a simulated cluster
  nvnodetop help       all commands
  man nvnodetop        the manual
]==])

conflict(myModuleName())
if mode() == "load" and not isFile(pathJoin(prefix, "bin/nvnodetop")) then
  LmodError("There is no program ", pathJoin(prefix, "bin/nvnodetop"), ": set prefix in ", myFileName())
end

prepend_path("PATH", pathJoin(prefix, "bin"))
-- Without MANPATH man finds share/man beside bin, and FPATH is zsh's own unless it is exported. Setting them would hide what the system has.
for name, dir in pairs({ MANPATH = "share/man", FPATH = "share/zsh/site-functions" }) do
  if os.getenv(name) then
    prepend_path(name, pathJoin(prefix, dir))
  end
end
-- Completion in bash and fish. Without XDG_DATA_DIRS its default counts.
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
append_path("XDG_DATA_DIRS", "/usr/local/share")
append_path("XDG_DATA_DIRS", "/usr/share")
