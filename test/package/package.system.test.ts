/** The published package: packed, installed into an empty folder, served by its command. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, delimiter, extname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { loadCommands } from '../../src/cli.ts'
import { someOf } from '../cases.ts'
import { folderOf, root } from '../commands/command.ts'
import { buildImage } from './container-file.ts'
import { assertInit } from './created-project.ts'
import {
  command,
  database,
  environment,
  install,
  madeAndRead,
  packInto,
  run,
  served,
  started,
  unreachable,
} from './installed-package.ts'

const definition = `import { type RowOf, anyone, integer, resource, service, text } from 'restwell'

const notes = resource(
  { title: text({ max: 100 }), stars: integer({ min: 0 }).optional() },
  { access: { read: anyone, create: anyone, update: anyone, delete: anyone } },
)

export const example: RowOf<typeof notes>['title'] = 'typed'

export default service({ title: 'Notes', resources: { notes } })
`

const api = `import { client } from 'restwell/client'
import type definition from './service.ts'

const notes = client<typeof definition>('http://localhost:3000').notes
export const { stars }: { stars?: number } = await notes.create({ title: 'typed' })
// @ts-expect-error A title is text.
await notes.create({ title: 42 })
`

/** Npm installs all dependencies in each. By default one of them runs. */
const ofTarball: Readonly<Record<string, (t: TestContext, tarball: string) => Promise<void>>> = {
  'npm init, npm install, npx restwell init: npm run dev, npm test and npx tsc succeed': assertInit,
  'the container file builds from the files of the package, and its health check succeeds': assertContainer,
  'npm would publish it': assertPublishable,
}

test('the packed package, installed in an empty folder, serves and types a definition', async (t) => {
  const folder = await folderOf(t)
  const tarball = await packInto(folder)
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  if (!(await install(t, folder, [tarball]))) return
  await writeFile(join(folder, 'service.ts'), definition)
  await t.test('the command serves it, with pages and all that they need', (t) => assertServes(t, folder))
  await t.test('two workers serve it, and write', (t) => assertWorkersServe(t, folder))
  await t.test('a fault names the place in the file of the user', () => assertTold(folder))
  await t.test('every command is there, and databases of both kinds', () => assertCommands(folder))
  for (const [title, check] of someOf(Object.entries(ofTarball), 1)) {
    await t.test(title, (t) => check(t, tarball))
  }
  await t.test('its types hold without skipLibCheck', () => assertTypes(folder))
  await t.test('it contains only the needed files', () => assertLean(folder))
  await t.test('programs that are started by file name exist', () => assertPrograms(folder))
  await t.test('HTML pages work without the source', (t) => assertSlim(t, folder))
})

async function assertServes(t: TestContext, folder: string): Promise<void> {
  const { url, stop } = await served(t, folder)
  assert.equal(await madeAndRead(url), 'packed', 'the writer thread was found')
  const ofXml = { 'content-type': 'application/xml' }
  const body = '<item><title>in XML</title></item>'
  const inXml = await fetch(`${url}/notes`, { method: 'POST', headers: ofXml, body })
  assert.equal(inXml.status, 201, 'what is loaded on demand was found')
  await assertPage(url)
  await assertClient(url, folder)
  assert.deepEqual(await stop(), [0, null])
}

async function assertPage(url: string): Promise<void> {
  const page = await fetch(url, { headers: { accept: 'text/html' } }).then((r) => r.text())
  const assets = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path as string)
  assert.deepEqual(assets.map(extname).toSorted(), ['.css', '.js', '.svg'])
  for (const path of assets) assert.equal((await fetch(new URL(path, url))).status, 200, path)
}

/** Small images may leave out `src/`. */
async function assertSlim(t: TestContext, folder: string): Promise<void> {
  const installed = join(folder, 'node_modules/restwell')
  await rm(join(installed, 'src'), { recursive: true })
  const { url, stop } = await served(t, folder)
  await assertPage(url)
  assert.deepEqual(await stop(), [0, null])
  const made = globSync('dist/*.js', { cwd: installed }).filter((file) =>
    readFileSync(join(installed, file), 'utf8').includes('// src/html/'),
  )
  assert.ok(made.length > 0)
  for (const file of made) assert.match(file, /-[A-Z0-9]{8}\.js$/, 'made of its content')
}

async function assertClient(url: string, folder: string): Promise<void> {
  const text = await fetch(`${url}/client.js`).then((response) => response.text())
  assert.doesNotMatch(text, /^(import|export .* from)\b/m, 'it is one module without imports')
  assert.ok(gzipSync(text).length < 6000, `${gzipSync(text).length} octets`)
  const file = join(folder, 'client.mjs')
  await writeFile(file, text)
  const { client } = await import(pathToFileURL(file).href)
  const api = client(url)
  const { id } = await api.notes.create({ title: 'by the client' })
  assert.equal((await api.notes.get(id)).title, 'by the client')
}

async function assertWorkersServe(t: TestContext, folder: string): Promise<void> {
  const { url, stop } = await served(t, folder, '--workers', '2')
  assert.equal(await madeAndRead(url), 'packed')
  assert.deepEqual(await stop(), [0, null])
}

/** With source maps too, where the places of our own code are those of its source. */
async function assertTold(folder: string): Promise<void> {
  const faulty = `import { openService } from 'restwell'\n\nawait openService(undefined as never)\n`
  await writeFile(join(folder, 'faulty.ts'), faulty)
  for (const options of ['', '--enable-source-maps']) {
    const { stderr } = await command(folder, ['check', 'faulty.ts'], options)
    assert.match(stderr, /^faulty\.ts cannot be loaded: DefinitionFault: .* \(faulty\.ts:3\)\. /)
    assert.equal(stderr.trim().split('\n').length, 1)
  }
}

async function assertCommands(folder: string): Promise<void> {
  const { stdout } = await command(folder, ['help'])
  for (const name of (await loadCommands()).keys()) assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
  const migrated = await command(folder, ['migrate', 'service.ts', '--database', database])
  assert.equal(migrated.stdout, 'The database fits the definition. Nothing to do.\n')
  const copied = await command(folder, ['copy', database, 'file:data/copy.db'])
  assert.match(copied.stdout, /^Copied \d+ rows?\. Serve the copy /m)
  const nowhere = 'postgres://nobody@127.0.0.1:1/none'
  const { stderr } = await command(folder, ['migrate', 'service.ts', '--database', nowhere])
  assert.match(stderr, /The database cannot be reached\./)
}

/** The steps of the container file, run in a clean folder. */
async function assertContainer(t: TestContext, tarball: string): Promise<void> {
  const work = await folderOf(t)
  await run('tar', ['-xzf', tarball, '-C', work])
  const context = join(work, 'package')
  const text = await readFile(join(context, 'Dockerfile'), 'utf8')
  const image = await buildImage(text, context, work).catch((error: Error & { stderr?: string }) => {
    if (!unreachable.test(error.stderr ?? '')) throw error
    return undefined
  })
  if (!image) return t.skip('The npm registry is unreachable: connect to the network.')
  assert.equal(image.user, 'node')
  assert.deepEqual(image.volumes, ['/data'])
  assert.deepEqual(image.owners, ['node:node /data'])
  assert.equal((await stat(join(image.root, 'data'))).mode & 0o777, 0o700)
  await assertLocked(join(image.root, 'node_modules/restwell/node_modules'))
  const inside = (path: string) => path.replace(/^\/(?=node_modules|data)/, `${image.root}/`)
  const folder = join(image.root, image.folder)
  await writeFile(join(folder, 'service.ts'), definition)
  const database = image.environment.DATABASE_URL?.replace('file:', '') ?? ''
  const [program = '', ...args] = image.command.map(inside)
  assert.equal(program, 'node')
  const { url, stop } = await started(t, process.execPath, [...args, '--port', '0'], {
    cwd: folder,
    env: { ...environment, ...image.environment, DATABASE_URL: `file:${inside(database)}` },
  })
  assert.equal(await madeAndRead(url.replace('0.0.0.0', '127.0.0.1')), 'packed')
  const check = (port: string) =>
    run(process.execPath, image.healthCheck.slice(1), { env: { ...environment, PORT: port } })
  await check(new URL(url).port)
  assert.deepEqual(await stop(), [0, null])
  await assert.rejects(check(new URL(url).port), { code: 1 })
}

/** The installed packages are those of the lock file, and none for development. */
async function assertLocked(modules: string): Promise<void> {
  const packagesIn = async (file: string) => {
    const { packages } = JSON.parse(await readFile(file, 'utf8')) as { packages: Record<string, Locked> }
    const needed = Object.entries(packages).filter(
      ([path, { dev, devOptional, optional }]) => path !== '' && !dev && !devOptional && !optional,
    )
    return Object.fromEntries(needed.map(([path, { integrity }]) => [path, integrity]))
  }
  const installed = await packagesIn(join(modules, '.package-lock.json'))
  assert.deepEqual(installed, await packagesIn(join(root, 'package-lock.json')))
}

interface Locked {
  readonly integrity?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly optional?: boolean
}

async function assertTypes(folder: string): Promise<void> {
  const compilerOptions = {
    module: 'nodenext',
    target: 'esnext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
  }
  const check = (files: string[]) =>
    writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files })).then(() =>
      run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder], { env: environment }),
    )
  await check(['service.ts'])
  await writeFile(join(folder, 'api.ts'), api)
  await check(['api.ts'])
  await writeFile(join(folder, 'wrong.ts'), definition.replace("'typed'", '42'))
  await assert.rejects(check(['wrong.ts']), ({ stdout }) => /TS2322/.test(stdout))
}

async function assertLean(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules', 'restwell')
  const expected = [
    'Dockerfile',
    'LICENSE',
    'README.md',
    'assets',
    'bin',
    'deploy',
    'dist',
    'examples',
    'package.json',
    'src',
    'templates',
  ]
  const found = (await readdir(installed)).filter((name) => name !== 'CHANGELOG.md')
  assert.deepEqual(found.toSorted(), expected)
  const mapOf = async (name: string) =>
    JSON.parse(await readFile(join(installed, 'dist', `${name}.map`), 'utf8'))
  assert.deepEqual((await mapOf('index.d.ts')).sources, ['../src/index.ts'])
  const { sources, sourcesContent } = await mapOf('cli.js')
  assert.deepEqual(sources, ['../src/cli.ts'])
  assert.equal(sourcesContent, undefined, 'the source is there once')
  const files = globSync('dist/*.js', { cwd: installed }).length
  assert.ok(files < 75, `${files} files: Node takes its time for each`)
}

/** Offline, because the registry refuses a version that was published before. */
async function assertPublishable(_t: TestContext, tarball: string): Promise<void> {
  const flags = ['--dry-run', '--offline', '--loglevel', 'notice', '--access', 'public', '--tag', 'next']
  const { stdout } = await run('npm', ['publish', ...flags, tarball], { env: environment })
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  assert.equal(stdout.trim(), `+ ${name}@${version}`)
}

async function assertPrograms(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules', 'restwell')
  const texts = globSync('src/**/*.ts', { cwd: installed }).map((file) =>
    readFile(join(installed, file), 'utf8'),
  )
  const named = (await Promise.all(texts)).join('').matchAll(/programFile\('([^']+)'\)/g)
  const programs = [...named].map(([, path]) => `${basename(path as string)}.js`)
  assert.deepEqual(programs.toSorted(), [
    'dev-process.js',
    'file-check-main.js',
    'reader-main.js',
    'worker.js',
    'writer-main.js',
  ])
  const built = await readdir(join(installed, 'dist'))
  assert.deepEqual(
    programs.filter((name) => !built.includes(name)),
    [],
  )
}

test('an old Node', async (t) => {
  const old = findOldNode()
  if (old === undefined) return t.skip('There is no Node.js before 26 in /usr/bin, /usr/local/bin or PATH.')
  const program = join(root, 'bin', 'restwell.js')
  await t.test('the command says which version it needs and how to get it, and exits with 1', () => {
    const { status, stdout, stderr } = spawnSync(old, [program, 'serve'])
    assert.equal(status, 1)
    assert.equal(String(stdout), '')
    const expected =
      /^restwell needs Node\.js 26 or later, and this is v\d+\S+\. .*: npm install --save-dev node@26, .*\n$/
    assert.match(String(stderr), expected)
  })
  await t.test('init creates a project that brings Node 26', async (t) => {
    const folder = await folderOf(t)
    const { status, stdout, stderr } = spawnSync(old, [program, 'init', '.'], { cwd: folder })
    assert.equal(status, 0, String(stderr))
    assert.match(String(stdout), /^Next: npm install && npm run dev$/m)
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    assert.match(manifest.devDependencies.node, /^\^26\./)
    assert.deepEqual(manifest.allowScripts, { node: true })
  })
})

function findOldNode(): string | undefined {
  const folders = ['/usr/bin', '/usr/local/bin', ...(process.env.PATH ?? '').split(delimiter)]
  return folders
    .map((folder) => join(folder, 'node'))
    .find((node) => {
      const version = String(spawnSync(node, ['--version']).stdout ?? '')
      return /^v\d+\./.test(version) && Number.parseInt(version.slice(1), 10) < 26
    })
}
