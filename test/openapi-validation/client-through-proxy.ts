/** Runs the Restwell client through Prism's proxy, which reports violations of the OpenAPI document. */

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { client } from 'restwell/client'
import shop from '../../examples/shop.ts'
import { admin, serve } from '../service.ts'
import type { Validators } from './validate.ts'

export async function checkClientThroughProxy(validators: Validators): Promise<readonly string[]> {
  await using running = await serve(shop)
  // The document of the admin, who may do everything in it.
  const { text } = await running.request('GET /openapi.json', admin)
  writeFileSync(join(validators.folder, 'served.json'), text)
  const port = await freePort()
  const prism = join(validators.folder, 'node_modules/.bin/prism')
  const args = ['proxy', 'served.json', running.url, '--port', String(port), '--errors']
  const child = spawn(prism, args, { cwd: validators.folder })
  let output = ''
  const listening = new Promise<void>((resolve) => {
    const hear = (part: Buffer) => {
      output += part
      if (output.includes('Prism is listening')) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('close', () => resolve())
  })
  try {
    await listening
    return await useClient(`http://127.0.0.1:${port}`)
  } finally {
    child.kill()
  }
}

/** Calls each method of the client; Prism reports a violation as a problem of its own. */
async function useClient(base: string): Promise<readonly string[]> {
  const api = client<typeof shop>(base, { authorization: admin.authorization, retries: 0 })
  const faults: string[] = []
  const attempt = async (what: string, ask: () => Promise<unknown>) => {
    try {
      await ask()
    } catch (error) {
      faults.push(`${what}: ${error instanceof Error ? error.message : error}`)
    }
  }
  const tea = { sku: 'TEA', name: 'Tea', price: '4.50' }
  await attempt('create', () => api.products.create(tea))
  await attempt('get', () => api.products.get('TEA'))
  await attempt('list', () => api.products.list({ price: { gte: '1' }, sort: '-price', limit: 2 }))
  await attempt('fields', () => api.products.list({ fields: ['name'] }))
  await attempt('patch', () => api.products.patch('TEA', { stock: 3 }))
  await attempt('replace', async () =>
    api.products.replace('TEA', { ...(await api.products.get('TEA')), stock: 4 }),
  )
  await attempt('remove', () => api.products.remove('TEA'))
  await attempt('publish', async () => {
    const { id } = await api.articles.create({ slug: 'a', title: 'A' })
    await api.articles.patch(id, { status: 'published' })
    await api.articles.list({ embed: ['author'], tags: { has: 'x' } })
  })
  return faults
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port is free')
  return address.port
}
