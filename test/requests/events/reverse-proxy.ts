/** Reverse proxies of Debian in front of a service, as their manuals show them: nginx and HAProxy. */

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cache, type RunningCache, startCache } from '../../caches/proxy.ts'

export interface ReverseProxy {
  readonly name: string
  /** Why it cannot be started; undefined where it is installed. */
  readonly reason: string | undefined
  /** In front of a port of this machine. */
  start(origin: number): Promise<RunningCache>
}

export const reverseProxies: readonly ReverseProxy[] = [
  reverseProxy('nginx', 'nginx is not installed: apt-get install nginx', ({ folder, port, origin }) => {
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, nginxConfiguration(folder, port, origin))
    return ['-c', file, '-e', 'stderr', '-p', folder]
  }),
  reverseProxy('haproxy', 'HAProxy is not installed: apt-get install haproxy', ({ folder, port, origin }) => {
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, haproxyConfiguration(port, origin))
    return ['-db', '-f', file]
  }),
]

export function reverseProxy(name: string, reason: string, command: Cache['command']): ReverseProxy {
  // Debian installs them in a folder that is in the PATH of root only.
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  const program = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  return {
    name,
    reason: program === undefined ? reason : undefined,
    start: (origin) => startCache({ name, invalidates: false, program: program ?? name, command }, origin),
  }
}

/** With its defaults: responses are buffered, and requests are forwarded with HTTP/1.0. */
function nginxConfiguration(folder: string, port: number, origin: number): string {
  return nginxWith(
    folder,
    `server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://127.0.0.1:${origin}; }
  }`,
  )
}

/** The configuration of an nginx that keeps its files in the folder. */
export function nginxWith(folder: string, server: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`)
  return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${paths.join('\n  ')}
  ${server}
}
`
}

function haproxyConfiguration(port: number, origin: number): string {
  return `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend clients
  bind 127.0.0.1:${port}
  default_backend service
backend service
  server node 127.0.0.1:${origin}
`
}
