#!/bin/bash
# As the template "basic" of ood_core (MIT) runs an app in a job, in the app's directory.
export host
export port
create_yml () {
  (
    umask 077
    echo -e "host: $host\nport: $port\npassword: $password" > "connection.yml"
  )
}
clean_up () {
  [[ ${SCRIPT_PID} ]] && pkill -P ${SCRIPT_PID} || :
  pkill -P $$
  exit ${1:-0}
}
create_passwd () (
  set +o pipefail
  tr -cd 'a-zA-Z0-9' < /dev/urandom 2> /dev/null | head -c${1:-8}
)
export -f create_passwd
host=127.0.0.1
[[ -e "before.sh" ]] && source "before.sh"
"./script.sh" &
SCRIPT_PID=$!
[[ -e "after.sh" ]] && source "after.sh"
create_yml
wait ${SCRIPT_PID} || clean_up 1
clean_up
