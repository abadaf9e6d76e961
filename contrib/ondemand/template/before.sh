# Sourced before script.sh starts: makes the token, in a file that only this user can read.
[[ $(type -t module) == "function" ]] && export -f module
password=$(create_passwd 32)
(umask 077 && printf '%s\n' "$password" >token)
rm -f address # of a run before this one, if the job was requeued
