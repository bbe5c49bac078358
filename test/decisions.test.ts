/** The form of docs/decisions: unique numbers, date, status, sections, no dead mention, and a citation of each. */

import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'docs/decisions')
const files = readdirSync(folder).filter((name) => name !== 'README.md')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('decisions have ascending numbers, each once, and are listed in the index', () => {
  const numbers = files.map((name) => Number(name.slice(0, 4)))
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((one, other) => one - other),
  )
  const links = [...read('docs/decisions/README.md').matchAll(/\((\d{4}-[^)]+)\)/g)]
  assert.deepEqual(
    links.map(([, name]) => name),
    files,
  )
})

for (const name of files) {
  test(`${name} has a title, a date, a status and the three sections`, () => {
    const text = read(`docs/decisions/${name}`)
    const [, number, title = ''] = /^# (\d{4}): (.+)\n\nDate: \d{4}-\d\d-\d\d\. Status: /.exec(text) ?? []
    const slug = title
      .toLowerCase()
      .replace("'s", '')
      .replaceAll(/[^a-z0-9]+/g, '-')
    assert.equal(name, `${number}-${slug}.md`)
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    assert.deepEqual(headings, ['Context', 'Decision', 'Consequences'])
  })

  test(`${name} names only files that exist`, () => {
    const paths = read(`docs/decisions/${name}`).matchAll(/`((?:src|test|examples)\/[^`]+)`/g)
    const missing = [...paths].filter(([, path = '']) => !existsSync(join(root, path)))
    assert.deepEqual(
      missing.map(([, path]) => path),
      [],
    )
  })
}

/** The numbers of the decisions that a file outside of the folder names. */
const mentions = globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'docs/**/*.md', '*.md'], {
  cwd: root,
  exclude: ['**/node_modules', 'docs/decisions'],
}).flatMap((path) =>
  [...read(path).matchAll(/decisions?[/ ](\d{4})/gi)].map(([, number = '']) => ({ path, number })),
)

test('every mention of a decision names one that exists', () => {
  const known = new Set(files.map((name) => name.slice(0, 4)))
  assert.deepEqual(
    mentions.filter(({ number }) => !known.has(number)),
    [],
  )
})

test('every decision is cited where it binds: by the code, a test or a document', () => {
  const cited = new Set(mentions.map(({ number }) => number))
  assert.deepEqual(
    files.filter((name) => !cited.has(name.slice(0, 4))),
    [],
  )
})

test('links between decisions lead to records that exist', () => {
  const dead = files.flatMap((name) =>
    [...read(`docs/decisions/${name}`).matchAll(/\((\d{4}-[^)]+)\)/g)]
      .filter(([, linked = '']) => !files.includes(linked))
      .map(([, linked]) => `${name}: ${linked}`),
  )
  assert.deepEqual(dead, [])
})
