/**
 * `restwell init`: creates a small project that runs, in a folder that is empty or has only the
 * files of `npm install restwell`.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { packageFolder } from '../package-paths.ts'

export const init: Command = {
  usage: '[folder]',
  summary: 'Creates a small project: definition, test, package.json, README.',
  async run(args) {
    const [given = '.', ...others] = args
    if (others.length > 0 || given.startsWith('-')) {
      throw new CommandFault(`Expected one folder and no options, got '${args.join(' ')}'.`)
    }
    const folder = requireFreeFolder(resolve(given))
    const files = createFiles(folder)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const enter = given === '.' ? '' : `cd ${given} && `
    process.stdout.write(
      `Created ${Object.keys(files).join(', ')}.\nNext: ${enter}npm install && npm run dev\n`,
    )
    return 0
  },
}

/** Files of Git and npm. Only package.json is changed. */
const allowedFiles: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'package.json',
  'package-lock.json',
])

/** Creates the folder if it is missing. Throws a CommandFault when it has other files. */
function requireFreeFolder(folder: string): string {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
  const found = readdirSync(folder).filter((name) => !allowedFiles.has(name))
  if (found.length === 0) return folder
  throw new CommandFault(
    `${folder} is not empty: it contains ${found.slice(0, 3).join(', ')}. Name a new folder.`,
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

const neededNode = 26

type Members = Readonly<Record<string, unknown>>

/** The members of an existing package.json. */
function readManifest(folder: string): Members {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return {}
  try {
    return membersOf(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CommandFault(`${file} is not valid JSON. Correct it, or name a new folder.`, {
      cause,
    })
  }
}

/**
 * Adds the members that the project needs. It replaces only two that `npm init` writes: the type
 * `commonjs`, which has no `import`, and the test that fails.
 */
function createManifest(name: string, existing: Members) {
  const { version, devDependencies: own } = readOwnManifest()
  const isOld = Number.parseInt(process.versions.node, 10) < neededNode
  const scripts = { ...membersOf(existing.scripts) }
  if (String(scripts.test).includes('no test specified')) delete scripts.test
  return {
    name,
    private: true,
    ...existing,
    type: 'module',
    engines: { node: `>=${neededNode}`, ...membersOf(existing.engines) },
    scripts: {
      start: 'restwell serve service.ts',
      dev: 'restwell dev service.ts',
      check: 'restwell check service.ts',
      test: 'node --test',
      ...scripts,
    },
    dependencies: { restwell: `^${version}`, ...membersOf(existing.dependencies) },
    devDependencies: {
      '@types/node': `^${own['@types/node']}`,
      // npm runs the scripts with this Node where the machine has an older one.
      ...(isOld ? { node: `^${own.node}` } : {}),
      typescript: `^${own.typescript}`,
      ...membersOf(existing.devDependencies),
    },
    // npm 12 runs the scripts of a package only where they are allowed; that of `node` installs it.
    ...(isOld ? { allowScripts: { node: true, ...membersOf(existing.allowScripts) } } : {}),
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

/** The subset of TypeScript that Node runs by removing the types. */
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

const definition = `import {
  anyone, boolean, choice, email, or, owner, password, ref, resource, role, self, service, signedIn, text,
} from 'restwell'

const users = resource(
  {
    email: email().unique().visibleTo(self),
    name: text({ min: 1, max: 100 }),
    password: password({ min: 12 }),
    // The account that the first start makes is an admin, who sees /status and /audit.
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: or(self, role('admin')), delete: self } },
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
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, notes },
})
`

const testFile = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openService } from 'restwell'
import { client } from 'restwell/client'
import definition from './service.ts'

test('only its owner can read a note', async () => {
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
    npm run dev      # http://localhost:3000, loaded again when a file changes
    npm start        # serves it in production; PORT=8080 npm start on another port
    npm test
    npx tsc          # checks the types
    npm run check    # describes the definition in words
    npx restwell routes
    npx restwell openapi
`
}
