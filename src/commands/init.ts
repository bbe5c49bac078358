/**
 * `restwell init`: a small project, which runs as it is, in a folder that is empty or has nothing
 * but what `npm install restwell` leaves there.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { packageFolder } from '../package-paths.ts'
import { type Command, CommandFault } from './command.ts'

export const init: Command = {
  usage: '[folder]',
  summary: 'Makes a small project in a new folder: definition, test, package.json, README.',
  async run(args) {
    const [given = '.', ...others] = args
    if (others.length > 0 || given.startsWith('-')) {
      throw new CommandFault('restwell init takes one folder and no flags.')
    }
    const folder = requireFreeFolder(resolve(given))
    const files = createFiles(folder)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const enter = given === '.' ? '' : `cd ${given} && `
    process.stdout.write(
      `Made ${Object.keys(files).join(', ')}.\nNext: ${enter}npm install && npm start\n`,
    )
    return 0
  },
}

/** What version control and npm keep there, which is left as it is or added to. */
const allowedFiles: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'package.json',
  'package-lock.json',
])

/** The folder, which is made where it is missing; refuses one with files that are not kept. */
function requireFreeFolder(folder: string): string {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
  const there = readdirSync(folder).filter((name) => !allowedFiles.has(name))
  if (there.length === 0) return folder
  throw new CommandFault(
    `${folder} is not empty: it has ${there.slice(0, 3).join(', ')}. Name a new folder.`,
  )
}

function createFiles(folder: string): Readonly<Record<string, string>> {
  const name =
    basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'service'
  const manifest = createManifest(name, readManifest(folder))
  return {
    'service.ts': definition,
    'service.test.ts': testFile,
    'tsconfig.json': `${JSON.stringify(typescript, null, 2)}\n`,
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': createReadme(name),
    '.gitignore': 'node_modules\ndata\n',
  }
}

type Members = Readonly<Record<string, unknown>>

/** The package.json that is there already; empty where there is none. */
function readManifest(folder: string): Members {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return {}
  try {
    return membersOf(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CommandFault(`${file} is no JSON. Correct it, or name a new folder.`, { cause })
  }
}

/**
 * What the project needs, added to what is there. Only two members are replaced, which `npm init`
 * writes unasked: the type `commonjs`, under which `import` does not work, and a test that fails.
 */
function createManifest(name: string, there: Members) {
  const { version, devDependencies: own } = readOwnManifest()
  const scripts = { ...membersOf(there.scripts) }
  if (String(scripts.test).includes('no test specified')) delete scripts.test
  return {
    name,
    private: true,
    ...there,
    type: 'module',
    engines: { node: '>=26', ...membersOf(there.engines) },
    scripts: {
      start: 'restwell serve service.ts',
      dev: 'node --watch node_modules/restwell/bin/restwell.js serve service.ts',
      check: 'restwell check service.ts',
      test: 'node --test',
      ...scripts,
    },
    dependencies: { restwell: `^${version}`, ...membersOf(there.dependencies) },
    devDependencies: {
      '@types/node': `^${own['@types/node']}`,
      typescript: `^${own.typescript}`,
      ...membersOf(there.devDependencies),
    },
  }
}

interface OwnManifest {
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

function readOwnManifest(): OwnManifest {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as OwnManifest
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

/** As Node runs TypeScript: types are taken off, and nothing else is done. */
const typescript = {
  compilerOptions: {
    module: 'nodenext',
    target: 'esnext',
    strict: true,
    noEmit: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  },
  include: ['*.ts'],
}

const definition = `import { anyone, boolean, email, owner, password, ref, resource, self, service, signedIn, text } from 'restwell'

const users = resource(
  {
    email: email().unique().visibleTo(self),
    name: text({ min: 1, max: 100 }),
    password: password({ min: 12 }),
  },
  { access: { read: anyone, create: anyone, update: self, delete: self } },
)

const notes = resource(
  {
    title: text({ min: 1, max: 200 }),
    body: text().optional(),
    done: boolean().default(false),
    owner: ref('users', { onDelete: 'cascade' }).fromPrincipal(),
  },
  {
    access: {
      read: owner('owner'),
      create: signedIn,
      update: owner('owner'),
      delete: owner('owner'),
    },
  },
)

export default service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: { users, notes },
})
`

const testFile = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openService } from 'restwell'
import { client } from 'restwell/client'
import definition from './service.ts'

test('a note is for its owner alone', async () => {
  await using service = await openService(definition, { database: 'file::memory:', rate: 'off' })
  const fetch = service.handle
  const anyone = client<typeof definition>('http://localhost', { fetch })
  const ada = { email: 'ada@example.org', name: 'Ada', password: 'correct horse battery' }
  await anyone.users.create(ada)
  const authorization = \`Basic \${btoa(\`\${ada.email}:\${ada.password}\`)}\`
  const api = client<typeof definition>('http://localhost', { fetch, authorization })
  const note = await api.notes.create({ title: 'Buy milk' })
  assert.equal((await api.notes.list()).length, 1)
  await assert.rejects(anyone.notes.get(note.id), { status: 401 })
})
`

function createReadme(name: string): string {
  return `# ${name}

A RESTful service, declared in \`service.ts\` and served by Restwell.

    npm install
    npm start        # http://localhost:3000
    npm run dev      # starts again when a file changes
    npm test
    npx tsc          # checks the types
    npm run check    # explains the definition in words
    npx restwell routes
    npx restwell openapi
`
}
