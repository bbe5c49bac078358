/**
 * The servers that all test files of a run share: one PostgreSQL and one Chromium. test/run.ts offers them at a URL in
 * `TEST_SERVERS`; the first file that asks for a server starts it. Without that variable each file starts its own.
 */

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a test file reaches a server that is already running: a port or an endpoint. */
export type SharedServer = 'postgres' | 'browser'

interface StartedServer {
  readonly address: string
  stop(): Promise<void>
}

const starters: Readonly<Record<SharedServer, () => Promise<StartedServer>>> = {
  async postgres() {
    const { startCluster } = await import('./cluster.ts')
    const cluster = await startCluster()
    return { address: String(cluster.port), stop: cluster.end }
  },
  async browser() {
    const { chromium } = await import('playwright-core')
    const { launchOptions } = await import('./browser/launch-options.ts')
    const server = await chromium.launchServer({ ...launchOptions, host: '127.0.0.1' })
    return { address: server.wsEndpoint(), stop: () => server.close() }
  },
}

/** Returns the address of the shared server; undefined in a run without shared servers. */
export async function findSharedServer(name: SharedServer): Promise<string | undefined> {
  const servers = process.env.TEST_SERVERS
  if (servers === undefined) return undefined
  const response = await fetch(new URL(name, servers))
  const text = await response.text()
  if (!response.ok) throw new Error(`The shared ${name} did not start: ${text}`)
  return text
}

export interface SharedServers {
  /** The value of `TEST_SERVERS`. */
  readonly url: string
  stop(): Promise<void>
}

/** Offers the servers. A server starts with the first request for it. */
export async function offerSharedServers(): Promise<SharedServers> {
  const started = new Map<SharedServer, Promise<StartedServer>>()
  const http = createServer((request, response) => {
    const name = request.url?.slice(1) ?? ''
    if (!isSharedServer(name)) {
      response.writeHead(404).end()
      return
    }
    const server = started.get(name) ?? starters[name]()
    started.set(name, server)
    void answer(response, server)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    async stop() {
      http.close()
      http.closeAllConnections()
      // A server that did not start has nothing to stop: its requests got the reason.
      for (const server of started.values()) await (await server.catch(() => undefined))?.stop()
    },
  }
}

function isSharedServer(name: string): name is SharedServer {
  return Object.hasOwn(starters, name)
}

async function answer(response: ServerResponse, server: Promise<StartedServer>): Promise<void> {
  try {
    response.end((await server).address)
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
}
