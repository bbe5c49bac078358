/**
 * Compares writes of the demo's products without and with a history, and with another version of Restwell.
 * `node --conditions=source bench/history.ts [requests] [folder of the other version]`
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { median } from './rounds.ts'

const count = Number(process.argv[2] ?? 2000)
const other = process.argv[3]
const rounds = 5
const atOnce = 50

interface Measured {
  readonly name: string
  handle(request: Request): Promise<Response>
  close(): Promise<void>
  /** By method: requests per second in each round. */
  readonly rates: Readonly<Record<'POST' | 'PATCH', number[]>>
}

const folder = mkdtempSync(join(tmpdir(), 'restwell-history-'))
const measured = await openAll()
// In turns, so that other load affects all.
for (let round = 0; round <= rounds; round += 1) {
  for (const one of measured) {
    const skus = Array.from({ length: count }, (_, at) => `P-${round}-${at}`)
    const created = await rateOf(one, skus, 'POST')
    const patched = await rateOf(one, skus, 'PATCH')
    // The first round warms up.
    if (round > 0) one.rates.POST.push(created) && one.rates.PATCH.push(patched)
  }
}
for (const { name, rates, close } of measured) {
  const [create, patch] = [median(rates.POST), median(rates.PATCH)]
  process.stdout.write(`${name}: ${create.toFixed(0)} creations/s, ${patch.toFixed(0)} patches/s\n`)
  await close()
}
rmSync(folder, { recursive: true })

async function openAll(): Promise<readonly Measured[]> {
  const own = resolve(import.meta.dirname, '..')
  const versions = [
    { name: 'without history', root: own, options: {} },
    { name: 'with history', root: own, options: { history: { keep: '1 year' } } },
    ...(other === undefined ? [] : [{ name: 'the other version', root: resolve(other), options: {} }]),
  ]
  return Promise.all(versions.map((version, at) => openVersion(version, `file:${join(folder, `${at}.db`)}`)))
}

/** The products of the demo, writable by anyone. */
async function openVersion(
  { name, root, options }: { readonly name: string; readonly root: string; readonly options: object },
  database: string,
): Promise<Measured> {
  const { openService, anyone, resource, service } = await import(join(root, 'src/index.ts'))
  const { default: shop } = await import(join(root, 'examples/shop.ts'))
  const { resources } = shop[Symbol.for('restwell.definition')]
  const { fields, options: declared } = resources.products[Symbol.for('restwell.resource')]
  const access = { read: anyone, create: anyone, update: anyone }
  const products = resource(fields, { ...declared, access, ...options })
  const definition = service({ title: 'Products', resources: { products } })
  const opened = await openService(definition, { database, rate: 'off' })
  return {
    name,
    handle: (request) => opened.handle(request),
    close: () => opened.close(),
    rates: { POST: [], PATCH: [] },
  }
}

/** Requests per second, `atOnce` at a time. */
async function rateOf({ handle }: Measured, skus: readonly string[], method: 'POST' | 'PATCH') {
  const began = performance.now()
  for (let at = 0; at < skus.length; at += atOnce) {
    await Promise.all(skus.slice(at, at + atOnce).map((sku) => write(handle, method, sku)))
  }
  return skus.length / ((performance.now() - began) / 1000)
}

async function write(handle: Measured['handle'], method: 'POST' | 'PATCH', sku: string): Promise<void> {
  const uri = `http://localhost/products${method === 'POST' ? '' : `/${sku}`}`
  const type = method === 'POST' ? 'application/json' : 'application/merge-patch+json'
  const content = method === 'POST' ? { sku, name: sku, price: '4.50', stock: 1 } : { name: `${sku} renamed` }
  const { status } = await handle(
    new Request(uri, { method, headers: { 'content-type': type }, body: JSON.stringify(content) }),
  )
  if (status !== (method === 'POST' ? 201 : 200)) throw new Error(`${method} ${uri} was ${status}`)
}
