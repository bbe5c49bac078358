import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import shop from '../../examples/shop.ts'
import { anonymous } from '../../src/access/principal.ts'
import { clientScript, clientSource, clientTypePieces } from '../../src/describe/client-source.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { joinPieces } from '../../src/tools/time-slices.ts'
import people from '../features/mail/fixtures/people.ts'
import tracker from './fixtures/tracker.ts'

const root = resolve(import.meta.dirname, '../..')
const fixtureOf = (name: string) => join(import.meta.dirname, `fixtures/${name}.ts`)
const fixture = fixtureOf('typed-client')
const model = checkDefinition(shop)
const clientTypes = (...args: Parameters<typeof clientTypePieces>) => joinPieces(clientTypePieces(...args))

/** The fixture, with the client that was written instead of the one that infers. */
function usesOf(importing: string, file = fixture): string {
  return readFileSync(file, 'utf8')
    .replace("'restwell/client'", `'${importing}'`)
    .replace(/import type (?:shop|tracker) .*\n/, '')
    .replace(/client<typeof \w+>/, 'client')
}

test('the types inferred from a definition refuse each wrong use of the fixture', () => {
  const expected = readFileSync(fixture, 'utf8').match(/@ts-expect-error/g)?.length ?? 0
  assert.ok(expected > 10)
  // `npm run types` checks the fixture with the project; here it is checked alone.
  const tsconfig = { extends: join(root, 'tsconfig.json'), include: [], files: [fixture] }
  const folder = mkdtempSync(join(tmpdir(), 'restwell-client-types-'))
  try {
    const config = {
      ...tsconfig,
      compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, 'node_modules/.bin/tsc')
    assert.equal(spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout, '')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const mailUses = `
api.requestPasswordReset({ login: 'a' })
api.resetPassword('secret', { password: 'b' })
api.requestVerification({ login: 'a', currentPassword: 'b' })
api.confirmAddress('secret', {})
api.acceptInvitation('secret', { password: 'b', name: 'Ada' })
// @ts-expect-error the password is required
api.resetPassword('secret', {})
`
const use = (module: string) => `import { client } from '${module}'\nconst api = client()\n`
const withMail = checkDefinition(people)

/** The files of programs by their folders. */
const programs = {
  source: { 'client.ts': clientSource(model, 'everyone'), 'use.ts': usesOf('./client.ts') },
  script: {
    'client.d.ts': clientTypes(model, 'everyone'),
    'client.js': clientScript(model),
    'use.ts': usesOf('./client.js'),
  },
  paths: {
    'client.ts': clientSource(checkDefinition(tracker), 'everyone'),
    'use.ts': usesOf('./client.ts', fixtureOf('typed-paths')),
  },
  mail: {
    'client.ts': clientSource(withMail, 'everyone'),
    'use-source.ts': use('./client.ts') + mailUses,
    'script.d.ts': clientTypes(withMail, anonymous),
    'script.js': clientScript(withMail),
    'use-script.ts': use('./script.js') + mailUses,
    'without-mail.ts': clientSource(model, 'everyone'),
    'use-none.ts': `${use('./without-mail.ts')}// @ts-expect-error\napi.resetPassword('secret', { password: 'b' })\n`,
  },
  wrong: {
    'client.ts': clientSource(model, 'everyone'),
    'use.ts': "import { client } from './client.ts'\nclient().articles.list({ statsu: 'x' })\n",
  },
  anonymous: { 'client.d.ts': clientTypes(model, anonymous) },
} as const

describe('the client in a program of a user', () => {
  let output = ''
  before(() => {
    output = compile(programs)
  })

  /** The errors in the files of a program. */
  function errorsIn(folder: keyof typeof programs): string {
    const errors = output.split(/^(?=\S)/m)
    return errors.filter((error) => error.startsWith(`${folder}/`)).join('')
  }

  test('the compiler reports nothing but the errors of these programs', () => {
    const folders = Object.keys(programs) as (keyof typeof programs)[]
    assert.equal(folders.map(errorsIn).join('').length, output.length, output)
  })

  test('the file that `restwell client` writes compiles by itself, and refuses the same', () => {
    assert.equal(errorsIn('source'), '')
  })

  test('/client.d.ts types /client.js, and refuses the same', () => {
    assert.equal(errorsIn('script'), '')
  })

  test('the written types have the paths of relations, and refuse the same', () => {
    assert.equal(errorsIn('paths'), '')
  })

  test('the written types have the methods for links in mails only where the definition declares mail', () => {
    assert.equal(errorsIn('mail'), '')
  })

  test('a wrong use is an error at its line', () => {
    assert.match(errorsIn('wrong'), /^wrong\/use\.ts\(2,\d+\): error TS\d+: .*'statsu'/)
  })

  test('the declarations for a caller have what it may see, and nothing else', () => {
    const types = programs.anonymous['client.d.ts']
    const [, row = ''] = /users: \{\s+readonly row: \{([^}]*)\}/.exec(types) ?? []
    assert.match(row, /readonly name: string/)
    assert.doesNotMatch(row, /email/)
    const [, articles = ''] = types.split('articles: {')
    assert.match(articles, /readonly create: never/)
    assert.equal(errorsIn('anonymous'), '')
  })
})

/** Returns the output of `tsc` for the programs, which it checks as one: it would load the same libraries for each. */
function compile(folders: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const project = mkdtempSync(join(tmpdir(), 'restwell-client-types-'))
  try {
    for (const [folder, files] of Object.entries(folders)) {
      mkdirSync(join(project, folder))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(project, folder, name), text)
    }
    const compilerOptions = {
      target: 'esnext',
      lib: ['esnext', 'dom', 'dom.iterable'],
      module: 'nodenext',
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      noEmit: true,
    }
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    return spawnSync(join(root, 'node_modules/.bin/tsc'), { cwd: project, encoding: 'utf8' }).stdout
  } finally {
    rmSync(project, { recursive: true })
  }
}

test('the type of a patch has neither `id` nor immutable fields, like PatchOf', () => {
  const notes = resource({ slug: text().immutable(), body: text() }, { access: { update: anyone } })
  const types = clientTypes(checkDefinition(service({ title: 'Notes', resources: { notes } })), 'everyone')
  const [, patch = ''] = /notes: \{.*?readonly patch: \{([^}]*)\}/s.exec(types) ?? []
  assert.equal(patch.trim(), 'readonly body?: string')
})
