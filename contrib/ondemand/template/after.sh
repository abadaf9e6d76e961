# Sourced after script.sh has started: learns the port from the address that nvnodetop prints.
port=
for _ in $(seq 600); do
  port=$(sed -n '1s|^https\{0,1\}://.*:\([0-9]*\)/$|\1|p' address 2>/dev/null)
  [ -z "$port" ] || break
  kill -0 "$SCRIPT_PID" 2>/dev/null || break
  sleep 0.2
done
if [ -z "$port" ]; then
  echo "nvnodetop serve has not started; the lines above say why."
  clean_up 1
fi
