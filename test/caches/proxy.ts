/** Real caches in front of a service: Varnish and nginx, each in a folder of its own. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'

export interface Cache {
  readonly name: string
  /** Whether it drops what an unsafe request has changed (RFC 9111 §4.4). */
  readonly invalidates: boolean
  readonly program: string
  command(setup: Setup): readonly string[]
}

interface Setup {
  readonly folder: string
  readonly port: number
  readonly origin: number
}

export interface RunningCache extends AsyncDisposable {
  readonly port: number
}

const varnish: Cache = {
  name: 'Varnish',
  invalidates: true,
  program: '/usr/sbin/varnishd',
  command({ folder, port, origin }) {
    const file = join(folder, 'default.vcl')
    writeFileSync(file, vcl(origin))
    // What is stale is revalidated at once, so that it can be seen.
    const settings = ['-p', 'default_grace=0', '-p', 'default_keep=60']
    return ['-F', '-n', join(folder, 'work'), '-a', `127.0.0.1:${port}`, '-f', file, ...settings]
  },
}

/** As it comes, and the invalidation that RFC 9111 §4.4 asks of a cache. */
function vcl(origin: number): string {
  return `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${origin}"; }
sub vcl_backend_response { set beresp.http.x-url = bereq.url; }
sub vcl_deliver {
  if (req.method ~ "^(POST|PUT|PATCH|DELETE)$" && resp.status < 400) {
    ban("obj.http.x-url == " + req.url);
    if (resp.http.Location) { ban("obj.http.x-url == " + resp.http.Location); }
    if (resp.http.Content-Location) { ban("obj.http.x-url == " + resp.http.Content-Location); }
  }
  unset resp.http.x-url;
}
`
}

const nginx: Cache = {
  name: 'nginx',
  invalidates: false,
  program: '/usr/sbin/nginx',
  command({ folder, port, origin }) {
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, nginxConfiguration(folder, port, origin))
    return ['-c', file, '-e', 'stderr', '-p', folder]
  },
}

function nginxConfiguration(folder: string, port: number, origin: number): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`)
  return `daemon off;
user root;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${paths.join('\n  ')}
  proxy_cache_path ${folder}/cache keys_zone=service:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${origin};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_cache service;
      proxy_cache_revalidate on;
    }
  }
}
`
}

export const caches: readonly Cache[] = [varnish, nginx]

export function isInstalled({ program }: Cache): boolean {
  return spawnSync(program, ['-V']).error === undefined
}

export async function startCache(cache: Cache, origin: number): Promise<RunningCache> {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-cache-'))
  // Started by root, the caches work as users of their own.
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'work'))
  const port = await freePort()
  const child = spawn(cache.program, cache.command({ folder, port, origin }), { stdio: 'ignore' })
  await listening(child, port)
  return {
    port,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** There is nothing to wait for but the port itself. */
async function listening(child: ChildProcess, port: number): Promise<void> {
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`The cache ended with ${child.exitCode} before it listened`)
    const socket = connect(port, '127.0.0.1')
    const open = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true))
      socket.on('error', () => resolve(false))
    })
    socket.destroy()
    return open
  })
}
