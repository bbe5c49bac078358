/**
 * The documentation is true: its tables list what the code has, its examples run, its links lead
 * somewhere.
 */

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { loadCommands } from '../src/cli.ts'
import { cacheOptionTable } from '../src/definition/cache-options.ts'
import { serviceOptionTable } from '../src/definition/check-definition.ts'
import { accountsOptionTable } from '../src/definition/checks/accounts.ts'
import * as ruleValues from '../src/definition/dynamic-values.ts'
import { modifiers } from '../src/definition/field.ts'
import { fieldKinds } from '../src/definition/kinds/field-kinds.ts'
import { resourceOptionTable } from '../src/definition/resource-declaration.ts'
import { accessOptionTable, historyOptionTable } from '../src/definition/resource-model.ts'
import * as rules from '../src/definition/rule-functions.ts'
import { mailOptionTable } from '../src/features/mail/check-mail.ts'
import { webhooksOptionTable } from '../src/features/webhooks/check-webhooks.ts'
import { problemTypes } from '../src/refusal.ts'
import { someOf } from './cases.ts'
import {
  createProject,
  type ExampleGroup,
  removeProject,
  runProgram,
  runScripts,
  typeErrors,
  writeExamples,
  writePages,
} from './docs-examples.ts'
import {
  brokenLinks,
  codeBlocks,
  longLines,
  missingFiles,
  readPage,
  readPages,
  root,
  sectionOf,
  tableNames,
} from './docs-pages.ts'

const commands = await loadCommands()
const pages = readPages('README.md', 'docs/**/*.md')

describe('tables list what the code has, and nothing else', () => {
  const documented: readonly (readonly [page: string, heading: string, names: readonly string[]])[] = [
    ['definition', 'Options of the service', Object.keys(serviceOptionTable)],
    ['definition', 'Options of webhooks', Object.keys(webhooksOptionTable)],
    ['definition', 'Options of mail', Object.keys(mailOptionTable)],
    ['definition', 'Options of accounts', Object.keys(accountsOptionTable)],
    ['definition', 'Options of a resource', Object.keys(resourceOptionTable)],
    ['definition', 'Options of access', Object.keys(accessOptionTable)],
    ['definition', 'Options of cache', Object.keys(cacheOptionTable)],
    ['definition', 'Options of history', Object.keys(historyOptionTable)],
    ['definition', 'Kinds of field', fieldKinds.map(({ name }) => name)],
    ['definition', 'Modifiers of a field', Object.keys(modifiers)],
    ['definition', 'Rules', Object.keys(rules)],
    ['definition', 'Values in rules', Object.keys(ruleValues)],
    ['definition', 'Options of openService', membersOf('src/service/embedded-service.ts', 'OpenOptions')],
    ['commands', 'Commands', [...commands.keys()]],
    ['configuration', 'Environment', environmentNames()],
    ['operation', 'Log', matchesIn('src/observation.ts', /readonly kind: '([\w-]+)'/g)],
    ['http/errors', 'Errors', Object.keys(problemTypes)],
    ['http', 'Order of decisions', decisionNames()],
  ]

  for (const [name, heading, names] of documented) {
    test(`${name}.md, ${heading}`, () => {
      assert.ok(names.length > 1)
      const page = readPage(`docs/reference/${name}.md`)
      assert.deepEqual(tableNames(page, heading).toSorted(), [...new Set(names)].sort())
    })
  }

  test('definition.md, the options of every kind', () => {
    const page = readPage('docs/reference/definition.md')
    const rows = sectionOf(page, 'Kinds of field').split('\n')
    for (const { name, options: declared } of fieldKinds) {
      const [, , options = ''] = rows.find((row) => row.startsWith(`| \`${name}\` |`))?.split('|') ?? []
      const listed = [...options.matchAll(/`(\w+)`/g)].map(([, option]) => option)
      assert.deepEqual(listed.sort(), Object.keys(declared).sort(), name)
    }
  })
})

/** The adapter of pages has decisions of its own around those of every request. */
function decisionNames(): readonly string[] {
  const files = ['src/html/adapter.ts', 'src/requests/handle-request.ts']
  return files.flatMap((file) => matchesIn(file, /decide\(\s*(\w+)/g))
}

/** Only config.ts reads the environment, so it has all the names. */
function environmentNames(): readonly string[] {
  const files = ['src/operation/configuration/config.ts', 'src/operation/configuration/config-values.ts']
  return files.flatMap((file) => matchesIn(file, /environment\.([A-Z0-9_]+)/g))
}

function membersOf(path: string, name: string): readonly string[] {
  const [, body = ''] = readPage(path).text.split(`export interface ${name} {`)
  const [members = ''] = body.split('\n}')
  return [...members.matchAll(/^ {2}readonly (\w+)/gm)].map(([, member = '']) => member)
}

function matchesIn(path: string, pattern: RegExp): readonly string[] {
  return [...readPage(path).text.matchAll(pattern)].map(([, name = '']) => name)
}

/** Whether its commands write a client, which its programs import. */
function makesClient({ scripts }: ExampleGroup): boolean {
  return scripts.some(({ code }) => code.includes('--out client.ts'))
}

describe('examples', () => {
  const project = createProject()
  after(() => removeProject(project))
  const groups = writePages(project, pages)
  const planted = (text: string) => writeExamples(project, { path: `planted-${text.length}.md`, text })

  // By default a part of the programs and commands, and the types of all.
  const programs = groups.flatMap((group) => [...group.programs])
  for (const [place, file] of someOf(programs, 6)) {
    test(`the program at ${place} runs`, () => runProgram(file))
  }

  const scripted = groups.filter(({ scripts }) => scripts.length > 0)
  const [generating, others] = [scripted.filter(makesClient), scripted.filter((one) => !makesClient(one))]
  for (const group of [...generating, ...someOf(others, 4)]) {
    test(`the shell commands from ${group.scripts[0]?.place} on work`, () => runScripts(group))
  }

  // After the commands, because some of them generate a client that a program imports.
  test('programs have no type errors, except for a planted one', async () => {
    const wrong = planted("```ts\nimport { text } from 'restwell'\ntext({ mx: 3 })\n```\n")
    const errors = await typeErrors(
      project,
      [...groups, ...wrong].flatMap(({ files }) => files),
    )
    assert.match(errors, /^planted-\S+: error TS2353: [^\n]+'mx' does not exist[^\n]+\n$/)
  })

  test('every block runs, or is in a language that is data, or says why it is not run', () => {
    // Configuration, output and messages are not programs; `console` shows a terminal.
    const data = 'console caddyfile go haproxy html http ini json mermaid nginx sql text xml yaml'.split(' ')
    const others = pages
      .flatMap(codeBlocks)
      .filter(({ reason, language }) => reason === undefined && !['ts', 'js', 'sh'].includes(language))
      .filter(({ language }) => !data.includes(language))
    assert.deepEqual(
      others.map(({ place }) => place),
      [],
    )
  })

  test('a reason not to run a block names tests that exist', () => {
    const reasons = pages.flatMap(codeBlocks).flatMap(({ reason }) => reason ?? [])
    const named = reasons.flatMap((reason) => reason.match(/test\/[\w./-]+/g) ?? [])
    assert.ok(named.length > 1)
    assert.deepEqual(
      named.filter((path) => !existsSync(join(root, path))),
      [],
    )
  })

  test('a program that fails is found', async () => {
    const [group] = planted("```ts\nthrow new Error('planted')\n```\n")
    const [file = ''] = group?.programs.values() ?? []
    await assert.rejects(runProgram(file), /planted/)
  })

  test('a request that fails, and output that differs, are found', async () => {
    const [request] = planted('```sh\ncurl http://localhost:3000/nothing\n```\n')
    await assert.rejects(runScripts(request as ExampleGroup), /expected 2xx, got 404/)
    const [failed] = planted('```sh\ncurl http://localhost:3000/products # 404\n```\n')
    await assert.rejects(runScripts(failed as ExampleGroup), /expected 404, got 200/)
    const [output] = planted(
      '```sh\ncurl -i http://localhost:3000/products\n```\n\n```http\nHTTP/1.1 201 Created\n```\n',
    )
    await assert.rejects(runScripts(output as ExampleGroup), /the output lacks/)
  })
})

test('every relative link leads to a file, and its anchor to a heading', () => {
  const all = readPages('*.md', 'docs/**/*.md', 'examples/**/*.md', '.github/**/*.md')
  const broken = all.flatMap((page) => brokenLinks(page).map((link) => `${page.path}: ${link}`))
  assert.deepEqual(broken, [])
})

test('a link that leads nowhere is found', () => {
  const text = '# Here\n[a](#here) [b](#there) [c](README.md) [d](NONE.md) [e](README.md#none)\n'
  assert.deepEqual(brokenLinks({ path: 'planted.md', text }).slice(-3), [
    '#there',
    'NONE.md',
    'README.md#none',
  ])
})

test('every file of the repository that a page names exists', () => {
  const own = [...pages, readPage('CONTRIBUTING.md')]
  const missing = own.flatMap((page) => missingFiles(page).map((file) => `${page.path}: ${file}`))
  assert.deepEqual(missing, [])
  const planted = 'See `src/nothing/here.ts`, `src/index.ts` and `test/none/`.'
  assert.deepEqual(missingFiles({ path: 'planted.md', text: planted }), ['src/nothing/here.ts', 'test/none/'])
})

test('lines of prose have at most 120 columns', () => {
  const own = pages.filter(({ path }) => !/^docs\/(decisions|performance)/.test(path))
  assert.deepEqual(own.flatMap(longLines), [])
})
