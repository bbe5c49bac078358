/**
 * The guide against the code: what can be written, asked and set is documented, what is documented
 * exists, and the examples work.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import shop, { sample } from '../examples/shop.ts'
import { commands } from '../src/cli.ts'
import { checkDefinition, serviceOptionTable } from '../src/definition/check-definition.ts'
import { accountsOptionTable } from '../src/definition/checks/accounts.ts'
import { modifiers } from '../src/definition/field.ts'
import { kinds } from '../src/definition/kinds/field-kinds.ts'
import { resourceOptionTable } from '../src/definition/resource-draft.ts'
import { accessOptionTable, cacheOptionTable } from '../src/definition/resource-model.ts'
import * as rules from '../src/definition/rules.ts'
import { problemTypes } from '../src/refusal.ts'
import { insertSample } from '../src/service/first-start.ts'
import { adminLogin, adminPassword, serve } from './service.ts'

const root = resolve(import.meta.dirname, '..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')

const documented: readonly (readonly [file: string, heading: string, names: readonly string[]])[] =
  [
    ['definition', 'Options of the service', Object.keys(serviceOptionTable)],
    ['definition', 'Options of accounts', Object.keys(accountsOptionTable)],
    ['definition', 'Options of a resource', Object.keys(resourceOptionTable)],
    ['definition', 'Options of access', Object.keys(accessOptionTable)],
    ['definition', 'Options of cache', Object.keys(cacheOptionTable)],
    ['definition', 'Kinds of field', Object.keys(kinds)],
    ['definition', 'Words on a field', Object.keys(modifiers)],
    ['definition', 'Rules', Object.keys(rules)],
    ['commands', 'Commands', [...commands.keys()]],
    ['commands', 'Environment', environmentNames()],
    ['http', 'Problem types', Object.keys(problemTypes)],
  ]

for (const [file, heading, names] of documented) {
  test(`${file}.md, ${heading}: all there are, and no others`, () => {
    assert.ok(names.length > 1)
    assert.deepEqual(namesUnder(text(`docs/guide/${file}.md`), heading).sort(), names.toSorted())
  })
}

test('definition.md has the options of every kind', () => {
  const rows = sectionOf(text('docs/guide/definition.md'), 'Kinds of field').split('\n')
  for (const [name, kind] of Object.entries(kinds)) {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''
    const [, , options = ''] = row.split('|')
    const told = [...options.matchAll(/`(\w+)`/g)].map(([, option]) => option)
    assert.deepEqual(told.sort(), Object.keys(kind.options).sort(), name)
  }
})

/** Only config.ts reads the environment, so that all names stand there. */
function environmentNames(): readonly string[] {
  return [
    ...new Set(
      [...text('src/config.ts').matchAll(/environment\.([A-Z_]+)/g)].map(
        ([, name]) => name as string,
      ),
    ),
  ]
}

function sectionOf(page: string, heading: string): string {
  const [, after = ''] = page.split(`\n## ${heading}\n`)
  return after.split('\n## ')[0] ?? ''
}

/** The names in the first column of the table. */
function namesUnder(page: string, heading: string): string[] {
  return [...sectionOf(page, heading).matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, name]) => name as string,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'restwell-docs-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'node_modules'))
symlinkSync(root, join(folder, 'node_modules/restwell'))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')

interface Block {
  readonly place: string
  readonly language: string
  /** Why it is not run, where its info string says so: `sh not run: it never ends`. */
  readonly reason: string | undefined
  readonly code: string
}

const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })]
const blocks = pages.flatMap((page): Block[] =>
  [...text(page).matchAll(/^```(\w+)(?: not run: ([^\n]+))?\n(.*?)^```$/gms)].map((match) => {
    const [, language = '', reason, code = ''] = match
    const line = text(page).slice(0, match.index).split('\n').length
    return { place: `${page}:${line}`, language, reason, code }
  }),
)

const running = blocks.filter(({ reason }) => reason === undefined)
const programs = running.filter(({ language }) => ['ts', 'js'].includes(language))

for (const [index, { place, code }] of programs.entries()) {
  test(`the program at ${place} runs`, async () => {
    const file = join(folder, `program-${index}.ts`)
    writeFileSync(file, code)
    const ran = await run(process.execPath, ['--conditions=source', file])
    assert.equal(ran.status, 0, ran.output)
    if (code.includes('export default service(')) {
      assert.ok(checkDefinition((await import(file)).default).resources.size > 0)
    }
  })
}

const requests = running.filter(({ language }) => language === 'sh')

test('whatever is shown as code runs, or says why it is not run', () => {
  const others = new Set(running.map(({ language }) => language))
  for (const language of ['ts', 'js', 'sh']) others.delete(language)
  // What a machine shows or is configured by is not a program.
  const data = ['console', 'html', 'http', 'ini', 'json', 'nginx', 'sql', 'text', 'xml', 'yaml']
  assert.deepEqual(
    [...others].filter((language) => !data.includes(language)),
    [],
  )
})

test('the requests in the pages are answered as they say', async () => {
  assert.ok(requests.length > 2)
  await using demo = await serve(shop)
  await insertSample(checkDefinition(shop), demo.service.store, sample)
  for (const { place, code } of requests) {
    const script = code
      .replaceAll('http://localhost:3000', demo.url)
      .replaceAll('admin@localhost:PASSWORD', `${adminLogin}:"${adminPassword}"`)
      // What went wrong is told by the exit code.
      .replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')
    const { status, output } = await run('bash', ['-eu', '-c', script])
    assert.equal(status, 0, `${place}: ${output}`)
    const [, expected] = /^# ([[{].*)$/m.exec(code) ?? []
    if (expected !== undefined) assert.equal(output.trim(), expected, place)
  }
})

/** In a process of its own that does not keep this one from answering it. */
function run(
  command: string,
  args: readonly string[],
): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: folder })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part) => {
        output += part
      })
    }
    child.once('close', (status) => resolve({ status, output }))
  })
}
