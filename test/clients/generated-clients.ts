/**
 * Clients that public generators make from the OpenAPI documents of the demo, the tracker and a definition with lists of
 * files: each compiles, and lists the items of a collection. `npm run test:clients` installs the generators in pinned
 * versions; it needs the registries, python3 and Go, and takes minutes.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import shop from '../../examples/shop.ts'
import tracker from '../../examples/tracker/service.ts'
import { album } from '../features/files/album.ts'
import { admin, serve } from '../service.ts'

const root = resolve(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/restwell-clients')
const generators = join(root, 'node_modules/.cache/restwell-generators/node_modules')

/** A description of a service that runs. */
interface Described {
  readonly folder: string
  readonly url: string
  /** A collection with one item. */
  readonly collection: string
}

interface Language {
  readonly name: string
  install(): Promise<void>
  /** Generates, compiles and runs a client; its last line of output is the number of items. */
  list(described: Described): Promise<string>
}

const typescript: Language = {
  name: 'TypeScript: openapi-typescript, openapi-fetch',
  install: async () => {
    await run('npm', ['run', 'generators'], root)
  },
  async list({ folder, url, collection }) {
    symlinkSync(generators, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const program = `import createClient from 'openapi-fetch'
import type { paths } from './api.d.ts'
const client = createClient<paths>({ baseUrl: '${url}', headers: ${JSON.stringify(admin)} })
const { data, response } = await client.GET('/${collection}')
if (!Array.isArray(data)) throw new Error(String(response.status))
console.log(data.length)
`
    writeFileSync(join(folder, 'use.ts'), program)
    const commands = join(generators, '.bin')
    await run(join(commands, 'openapi-typescript'), ['openapi.json', '-o', 'api.d.ts'], folder)
    const target = '--noEmit --strict --target esnext --module esnext --moduleResolution bundler'.split(' ')
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
    const flags = [...target, ...types, '--skipLibCheck', '--allowImportingTsExtensions']
    await run(join(commands, 'tsc'), [...flags, 'use.ts'], folder)
    return run(process.execPath, ['use.ts'], folder)
  },
}

const environment = join(cache, 'python')

const python: Language = {
  name: 'Python: openapi-python-client',
  async install() {
    await run('python3', ['-m', 'venv', environment], root)
    const packages = ['openapi-python-client==0.28.2', 'mypy==1.18.2']
    await run(join(environment, 'bin/pip'), ['install', '--quiet', ...packages], root)
  },
  async list({ folder, url, collection }) {
    const command = join(environment, 'bin/openapi-python-client')
    const output = ['--meta', 'none', '--output-path', 'api']
    await run(command, ['generate', '--path', 'openapi.json', ...output], folder)
    const program = `from api import AuthenticatedClient
from api.api.${collection} import ${collection}_list

scheme, token = "${admin.authorization}".split(" ")
client = AuthenticatedClient(base_url="${url}", token=token, prefix=scheme)
items = ${collection}_list.sync(client=client)
assert isinstance(items, list), items
print(len(items))
`
    writeFileSync(join(folder, 'use.py'), program)
    const interpreter = join(environment, 'bin/python')
    await run(interpreter, ['-m', 'compileall', '-q', 'api'], folder)
    await run(interpreter, ['-m', 'mypy', '--disable-error-code', 'import-untyped', 'use.py'], folder)
    return run(interpreter, ['use.py'], folder)
  },
}

const go: Language = {
  name: 'Go: oapi-codegen',
  install: async () => {
    const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
    await run('go', ['install', generator], root, { GOBIN: join(cache, 'go') })
  },
  async list({ folder, url, collection }) {
    mkdirSync(join(folder, 'api'))
    writeFileSync(join(folder, 'go.mod'), 'module example.org/client\n\ngo 1.26\n')
    const flags = ['-generate', 'types,client', '-package', 'api', '-o', 'api/api.go']
    await run(join(cache, 'go/oapi-codegen'), [...flags, 'openapi.json'], folder)
    const name = collection.replace(/^./, (letter) => letter.toUpperCase())
    const program = `package main

import (
	"context"
	"fmt"
	"net/http"

	"example.org/client/api"
)

func main() {
	as := api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "${admin.authorization}")
		return nil
	})
	client, err := api.NewClientWithResponses("${url}", as)
	if err != nil {
		panic(err)
	}
	reply, err := client.${name}ListWithResponse(context.Background(), &api.${name}ListParams{})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(*reply.JSON200))
}
`
    writeFileSync(join(folder, 'use.go'), program)
    await run('go', ['mod', 'tidy'], folder)
    await run('go', ['vet', './...'], folder)
    return run('go', ['run', 'use.go'], folder)
  },
}

const languages: readonly Language[] = [typescript, python, go]

const definitions = [
  { name: 'demo', definition: shop, collection: 'products', item: { sku: 'A-1', name: 'A', price: '1.00' } },
  { name: 'tracker', definition: tracker, collection: 'organisations', item: { slug: 'a', name: 'A' } },
  { name: 'lists of files', definition: album, collection: 'tasks', item: { title: 'A' } },
] as const

/** The output of the command; throws with it where it fails. */
async function run(
  command: string,
  args: readonly string[],
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...more } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (octets) => (output += octets))
  const [status] = await once(child, 'close')
  if (status === 0) return output
  throw new Error(`${command} ${args.join(' ')}: ${output.slice(-4000)}`)
}

async function findFault(language: Language, at: (typeof definitions)[number]): Promise<string | undefined> {
  await using service = await serve(at.definition)
  const made = await service.request(`POST /${at.collection}`, admin, at.item)
  if (made.status !== 201) return `POST /${at.collection} is ${made.status}: ${made.text}`
  const folder = mkdtempSync(join(tmpdir(), 'restwell-client-'))
  try {
    writeFileSync(join(folder, 'openapi.json'), (await service.request('GET /openapi.json', admin)).text)
    const { url } = service
    const output = await language.list({ folder, url, collection: at.collection })
    const count = output.trim().split('\n').at(-1)
    return count === '1' ? undefined : `The client lists ${count} items instead of 1.`
  } catch (error) {
    return String(error)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

mkdirSync(cache, { recursive: true })
for (const language of languages) {
  await language.install()
  for (const one of definitions) {
    const fault = await findFault(language, one)
    console.log(`${fault === undefined ? 'passes' : 'FAILS '}  ${language.name}, ${one.name}`)
    if (fault === undefined) continue
    console.log(fault)
    process.exitCode = 1
  }
}
