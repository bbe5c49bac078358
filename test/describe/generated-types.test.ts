/**
 * Programs against types that public generators create from the OpenAPI document compile without
 * casts and work. `npm run generators` installs the generators, or GENERATORS names their folder.
 */

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import shop from '../../examples/shop.ts'
import { someOf } from '../cases.ts'
import { admin, serve, type TestService } from '../service.ts'

const root = resolve(import.meta.dirname, '../..')
const generators = process.env.GENERATORS ?? join(root, 'node_modules/.cache/restwell-generators')
const skip = existsSync(join(generators, 'node_modules'))
  ? false
  : 'The generators are not installed: npm run generators'

/** A field with a default may be left out of requests; the generator needs an option for that. */
const flags = ['--default-non-nullable', 'false']

interface Generator {
  readonly command: string
  readonly args: readonly string[]
  /** The program that uses what it generates. */
  readonly program: string
}

const generated: Readonly<Record<string, Generator>> = {
  'the types of openapi-typescript': {
    command: 'openapi-typescript',
    args: ['openapi.json', ...flags, '-o', 'shop.d.ts'],
    program: 'openapi-fetch.ts',
  },
  'the client of @hey-api/openapi-ts': {
    command: 'openapi-ts',
    args: ['-i', 'openapi.json', '-o', 'generated', '--silent'],
    program: 'hey-api.ts',
  },
}

for (const [name, { command, args, program }] of someOf(Object.entries(generated), 1)) {
  test(`a program against ${name} compiles without casts and works`, { skip }, async () => {
    await using service = await serve(shop)
    await using folder = await describedIn(service)
    folder.run(command, ...args)
    await folder.use(program, service.url)
  })
}

/** A folder with the description for an admin and the generators. */
async function describedIn(service: TestService) {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-generated-'))
  const { text } = await service.request('GET /openapi.json', admin)
  writeFileSync(join(folder, 'openapi.json'), text)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(join(generators, 'node_modules'), join(folder, 'node_modules'))
  const run = (command: string, ...args: readonly string[]) => {
    const program = join(generators, 'node_modules/.bin', command)
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, `${command}: ${stdout}${stderr}`)
  }
  return {
    run,
    async use(file: string, url: string) {
      const program = readFileSync(join(import.meta.dirname, 'fixtures/generated', `${file}.txt`))
      assert.doesNotMatch(String(program), /\bas [A-Za-z{[]|\bany\b|!\./)
      writeFileSync(join(folder, 'use.ts'), program)
      const options = '--noEmit --strict --target esnext --module esnext --moduleResolution bundler'
      const more = ['--allowImportingTsExtensions', '--skipLibCheck']
      const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
      run('tsc', ...options.split(' '), ...more, ...types, 'use.ts')
      assert.equal(await outputOf(folder, url), 'done\n')
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Runs in another process, because this one serves its requests. Generated imports lack file
 * extensions, so it is bundled.
 */
async function outputOf(folder: string, url: string): Promise<string> {
  const bundled = spawnSync(
    join(root, 'node_modules/.bin/esbuild'),
    ['use.ts', '--bundle', '--format=esm', '--platform=node', '--outfile=use.mjs'],
    { cwd: folder, encoding: 'utf8' },
  )
  assert.equal(bundled.status, 0, bundled.stderr)
  const child = spawn(process.execPath, ['use.mjs', url, admin.authorization], { cwd: folder })
  let output = ''
  child.stdout.on('data', (part) => {
    output += part
  })
  child.stderr.on('data', (part) => {
    output += part
  })
  await once(child, 'close')
  return output
}
