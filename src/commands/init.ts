/** `restwell init`: a small project in an empty folder, which runs as it is. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { root } from '../place.ts'
import { type Command, CommandFault } from './command.ts'

export const init: Command = {
  usage: '[folder]',
  summary: 'Makes a small project in an empty folder: definition, test, package.json, README.',
  async run(args) {
    const [given = '.', ...others] = args
    if (others.length > 0 || given.startsWith('-')) {
      throw new CommandFault('restwell init takes one folder and no flags.')
    }
    const folder = emptyFolder(resolve(given))
    const files = filesFor(basename(folder))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const enter = given === '.' ? '' : `cd ${given} && `
    process.stdout.write(
      `Made ${Object.keys(files).join(', ')}.\nNext: ${enter}npm install && npm start\n`,
    )
    return 0
  },
}

/** Nothing is ever overwritten; what version control keeps there does not count. */
function emptyFolder(folder: string): string {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
  const there = readdirSync(folder).filter((name) => name !== '.git')
  if (there.length === 0) return folder
  throw new CommandFault(
    `${folder} is not empty: it has ${there.slice(0, 3).join(', ')}. Name a new folder.`,
  )
}

function filesFor(folderName: string): Readonly<Record<string, string>> {
  const name =
    folderName
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'service'
  return {
    'service.ts': definition,
    'service.test.ts': testFile,
    'package.json': `${JSON.stringify(packageOf(name), null, 2)}\n`,
    'README.md': readmeOf(name),
    '.gitignore': 'node_modules\ndata\n',
  }
}

function packageOf(name: string) {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=26' },
    scripts: {
      start: 'restwell serve service.ts',
      dev: 'node --watch node_modules/restwell/bin/restwell.js serve service.ts',
      check: 'restwell check service.ts',
      test: 'node --test',
    },
    dependencies: { restwell: `^${own.version}` },
  }
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

function readmeOf(name: string): string {
  return `# ${name}

A RESTful service, declared in \`service.ts\` and served by Restwell.

    npm install
    npm start        # http://localhost:3000
    npm test
    npm run check    # explains the definition in words
    npx restwell routes
    npx restwell openapi
`
}
