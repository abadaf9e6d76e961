-- As mod_ood_proxy/lib/node_proxy.lua and ood/proxy.lua of Open OnDemand 4 (MIT), with the user in place of its map of users.
function node_proxy_handler(r)
  local conn_uri = r.subprocess_env['MATCH_URI'] or r.uri or '/'
  if conn_uri == '' then
    conn_uri = '/'
  end
  r.handler = "proxy:http://" .. r.subprocess_env['MATCH_HOST'] .. ":" .. r.subprocess_env['MATCH_PORT']
  r.filename = conn_uri
  r.headers_in['X-Forwarded-Proto'] = r.is_https and "https" or "http"
  r.headers_in['X-Forwarded-User'] = "alice"
  r.headers_in['X-Forwarded-Escaped-Uri'] = r:escape(conn_uri)
  r:custom_response(503, "Failed to connect to the server")
  return apache2.DECLINED
end
