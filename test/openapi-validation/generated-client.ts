/** Generates a client from the OpenAPI document with a public generator and runs it against the demo. */

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import shop from '../../examples/shop.ts'
import { admin, serve } from '../service.ts'
import type { Validators } from './validate.ts'

const use = `import createClient from 'openapi-fetch'
import type { paths } from './shop.d.ts'

const [base = '', authorization = ''] = process.argv.slice(2)
const api = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl: base, headers: { authorization } })

const made = await api.POST('/products', { body: { sku: 'GEN-1', name: 'Generated', price: '1.50' } })
if (made.data === undefined) throw new Error(JSON.stringify(made.error))
const page = await api.GET('/products', { params: { query: { price: { gte: '1.00' }, sort: ['-price'] } } })
const found = page.data?.find((item) => item.id === 'GEN-1')
if (found?.name !== 'Generated') throw new Error(JSON.stringify(page.data))
const changed = await api.PATCH('/products/{id}', {
  params: { path: { id: 'GEN-1' } },
  body: { stock: 5 },
})
if (changed.data?.stock !== 5) throw new Error(JSON.stringify(changed.error))
const refused = await api.POST('/products', { body: { sku: 'GEN-1', name: 'Again', price: '1.50' } })
const status: number | undefined = refused.error?.status
if (status !== 409) throw new Error(JSON.stringify(refused))
// @ts-expect-error the price is a decimal in a string
await api.POST('/products', { body: { sku: 'GEN-2', name: 'Wrong', price: 1.5 } })
console.log('done')
`

export async function checkGeneratedClient(validators: Validators): Promise<readonly string[]> {
  // Fields with a default are optional in requests.
  const flags = ['--default-non-nullable', 'false', '-o', 'shop.d.ts']
  const made = validators.run('openapi-typescript', 'openapi.json', ...flags)
  if (made.status !== 0) return [made.output]
  writeFileSync(join(validators.folder, 'use.ts'), use)
  const options =
    '--ignoreConfig --noEmit --strict --target esnext --module nodenext --types node --typeRoots'
  const types = join(validators.root, 'node_modules/@types')
  const checks = [...options.split(' '), types, '--allowImportingTsExtensions', '--skipLibCheck']
  const checked = validators.run('tsc', ...checks, 'use.ts')
  if (checked.status !== 0) return checked.output.trim().split('\n')
  // Node does not run TypeScript below node_modules.
  writeFileSync(join(validators.folder, 'use.js'), stripTypeScriptTypes(use))
  await using running = await serve(shop)
  return await runUse(validators, running.url)
}

/** Runs the program in a process of its own: the demo is served by this one. */
async function runUse({ folder }: Validators, url: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['use.js', url, admin.authorization], { cwd: folder })
  let output = ''
  child.stdout.on('data', (part) => {
    output += part
  })
  child.stderr.on('data', (part) => {
    output += part
  })
  await new Promise((resolve) => child.once('close', resolve))
  return output.trim() === 'done' ? [] : output.trim().split('\n')
}
