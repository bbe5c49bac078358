/** The form of docs/decisions: numbers in sequence, date, status, sections, and no dead mention. */

import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'docs/decisions')
const files = readdirSync(folder).filter((name) => name !== 'README.md')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('decisions are numbered in sequence and listed in the index', () => {
  const numbers = files.map((name) => Number(name.slice(0, 4)))
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
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

test('every mention of a decision names one that exists', () => {
  const places = ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'docs/**/*.md', '*.md']
  const known = new Set(files.map((name) => name.slice(0, 4)))
  const dead = globSync(places, { cwd: root, exclude: ['**/node_modules'] }).flatMap((path) =>
    [...read(path).matchAll(/decisions?[/ ](\d{4})/g)]
      .filter(([, number = '']) => !known.has(number))
      .map(([mention]) => `${path}: ${mention}`),
  )
  assert.deepEqual(dead, [])
})
