/** `restwell import` and `restwell export`: all rows once, with validation and logic, faults by line and column. */

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openRecords } from '../../src/commands/transfer/open-records.ts'
import { formatProgress } from '../../src/commands/transfer/progress-display.ts'
import type { ResourceModel } from '../../src/definition/model.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { importWithoutLogic } from '../../src/store/change-log.ts'
import { always } from '../../src/store/condition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { Store } from '../../src/store/store.ts'
import { freshDatabase, onPostgres } from '../database.ts'
import { folderOf, root } from './command.ts'
import tracker from './fixtures/tracker.ts'
import { runCommand } from './in-process.ts'

const definition = join(root, 'test/commands/fixtures/tracker.ts')
const people = join(root, 'test/commands/fixtures/people.ts')
const schema = schemaOf(checkDefinition(tracker))

interface Place {
  readonly folder: string
  readonly database: string
}

async function placeOf(t: TestContext): Promise<Place> {
  const folder = await folderOf(t)
  const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'test.db')}`
  return { folder, database }
}

interface CommandResult {
  readonly code: number
  readonly text: string
}

/** Runs a command on the definition and the database. */
async function command({ database }: Place, t: TestContext, ...words: string[]): Promise<CommandResult> {
  const result = await runCommand(t, [...words, '--service', definition, '--database', database])
  const text = result.stdout + result.stderr
  // A slow machine shows progress.
  return { code: result.code, text: text.replaceAll(/^.* rows\/s, \d+:\d\d left\n/gm, '') }
}

async function importing(place: Place, t: TestContext, name: string, content: string, ...flags: string[]) {
  const file = join(place.folder, name)
  await writeFile(file, content)
  const collection = name.replace(/\..*/, '')
  const { code, text } = await command(place, t, 'import', collection, file, ...flags)
  return { code, text: text.replaceAll(`${place.folder}/`, '') }
}

async function exported(place: Place, t: TestContext, name: string): Promise<string> {
  const file = join(place.folder, name)
  const { code, text } = await command(place, t, 'export', name.replace(/\..*/, ''), file)
  assert.equal(code, 0, text)
  return readFile(file, 'utf8')
}

async function withStore<Result>({ database }: Place, work: (store: Store) => Promise<Result>) {
  const store = await openStore(database, schema, () => undefined)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const countOf = (place: Place, table: string) => withStore(place, async (store) => store.count(table, always))

test('a CSV file is imported, with quoted cells, empty cells and every kind of value', async (t) => {
  const place = await placeOf(t)
  const projects = 'code,title\r\nA,"First, and\r\nlonger"\r\nB,""\r\n'
  assert.equal((await importing(place, t, 'projects.csv', projects)).code, 0)
  const tasks = [
    'title,project,hours,effort,weight,due,words,extra',
    `'=1+1,A,1.50,3,0.5,2026-01-31,"[""a""]","{""b"":[1]}"`,
    'Second,,,,,,,',
    '',
  ].join('\n')
  const { code, text } = await importing(place, t, 'tasks.csv', `\ufeff${tasks}`)
  assert.match(text, /^Imported 2 rows into tasks, \d+ rows\/s\.$/m)
  assert.equal(code, 0)
  const [first, second] = (await exported(place, t, 'tasks.ndjson'))
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one))
  const { id, createdAt, updatedAt, ...members } = first
  assert.deepEqual(members, {
    title: '=1+1',
    project: 'A',
    labels: [],
    status: 'open',
    hours: '1.50',
    effort: 3,
    weight: 0.5,
    due: '2026-01-31',
    words: ['a'],
    extra: { b: [1] },
  })
  assert.equal(second.title, 'Second')
  assert.equal(second.project, undefined)
  assert.match(await exported(place, t, 'projects.csv'), /^A,A,"First, and\r\nlonger",/m)
})

test('an export is imported into another database: the same ids, times, states and references', async (t) => {
  const place = await placeOf(t)
  const time = '2020-02-03T04:05:06.789Z'
  const parent = '01990000-0000-7000-8000-000000000001'
  const child = { id: '01990000-0000-7000-8000-000000000002', parent, title: 'Child' }
  const lines = [
    { id: parent, title: 'Parent', status: 'done', createdAt: time, updatedAt: '2021-01-01T00:00:00+01:00' },
    child,
  ]
  const keep = ['--keep-times', '--keep-states']
  const content = lines.map((line) => JSON.stringify(line)).join('\n')
  assert.deepEqual((await importing(place, t, 'tasks.ndjson', content, ...keep)).code, 0)
  const written = await exported(place, t, 'tasks.csv')
  assert.ok(written.includes(`,done,`) && written.includes(`,${time},2020-12-31T23:00:00.000Z\r\n`), written)
  const other = await placeOf(t)
  const result = await importing(other, t, 'tasks.csv', written, ...keep)
  assert.equal(result.code, 0, result.text)
  assert.equal(await exported(other, t, 'tasks.csv'), written)
  // The log has the time of the import, so that retention counts from there.
  const changes = await withStore(other, async (store) => store.readChanges(0, 10))
  assert.ok(
    changes.every(({ at }) => at > '2026'),
    'the log has the time of the import',
  )
  assert.deepEqual(new Set(changes.map(({ actor }) => actor?.name)), new Set(['restwell import']))
})

test('times and states are refused without their flags, by line and column', async (t) => {
  const place = await placeOf(t)
  const times = await importing(place, t, 'tasks.csv', 'title,createdAt\nA,2020-01-01T00:00:00Z\n')
  assert.match(times.text, /^tasks\.csv, line 1, column 2 \(createdAt\): Use --keep-times/)
  const state = await importing(place, t, 'tasks.csv', 'title,status\nA,open\nB,done\n')
  assert.match(state.text, /^tasks\.csv, line 3, column 2 \(status\): Must be 'open' in a new item\.$/m)
  const wrong =
    'title,status,createdAt,updatedAt\nA,closed,2020-01-01,\nB,open,2999-01-01T00:00:00Z,\nC,open,2020-01-02T00:00:00Z,2020-01-01T00:00:00Z\n'
  const faults = await importing(place, t, 'tasks.csv', wrong, '--keep-times', '--keep-states')
  assert.match(faults.text, /line 2, column 3 \(createdAt\): Must be a time/)
  assert.match(faults.text, /line 2, column 2 \(status\): /)
  assert.match(faults.text, /line 3, column 3 \(createdAt\): Must not be in the future/)
  assert.match(faults.text, /line 4, column 4 \(updatedAt\): Must not be before createdAt/)
  assert.equal(await countOf(place, 'tasks'), 0)
})

test('each fault has its line and column; nothing of its batch is imported', async (t) => {
  const place = await placeOf(t)
  const faultsOf = async (name: string, content: string) => {
    const { code, text } = await importing(place, t, name, content)
    assert.equal(code, 1)
    return text
  }
  assert.match(
    await faultsOf('tasks.csv', 'titel\nA\n'),
    /line 1, column 1 \(titel\): .*Did you mean 'title'/,
  )
  assert.match(
    await faultsOf('projects.csv', 'code,title,open\nA,A,1\n'),
    /column 3 \(open\): It is computed/,
  )
  assert.match(await faultsOf('tasks.csv', 'title,title\nA,B\n'), /line 1: The column 'title' is repeated/)
  assert.match(await faultsOf('tasks.csv', ''), /line 1: The first line must name the columns/)
  assert.match(await faultsOf('tasks.csv', 'title,effort\n"a\nb",1\nc\n'), /line 4: 1 cells instead of 2/)
  assert.match(await faultsOf('tasks.csv', 'title\n"a\n'), /line 2: A quote is not closed/)
  assert.match(
    await faultsOf('tasks.csv', 'title,words\nA,[1\n'),
    /line 2, column 2 \(words\): The cell is not valid/,
  )
  const several = await faultsOf('tasks.csv', 'title,effort,project\nA,x,\n,2,\nC,3,NO\n')
  assert.match(
    several,
    /line 2, column 2 \(effort\): .+\n.*line 3, column 1 \(title\): .*required.*\n.*line 4, column 3 \(project\): There is no such item/,
  )
  assert.match(several, /^0 rows before that are imported\. Correct the file/m)
  assert.match(await faultsOf('tasks.ndjson', '{"title":"A"}\n{"title":1}\n'), /line 2, \/title: /)
  assert.match(await faultsOf('tasks.ndjson', '{"title":"A"}\n\n{"title":}\n'), /line 3: /)
  assert.match(await faultsOf('tasks.ndjson', '[1]\n'), /line 1: Must be an object/)
  assert.match(await faultsOf('tasks.ndjson', '{"id":"A","title":"A"}\n'), /line 1, \/id: Must be a UUID/)
  assert.match(
    await faultsOf('projects.csv', 'id,code,title\nB,A,A\n'),
    /line 2, column 1 \(id\): Must be the value of 'code'/,
  )
  assert.match(
    await faultsOf('labels.csv', 'name\na\nb\na\n'),
    /line 4, column 1 \(name\): An earlier row has this value/,
  )
  assert.equal(await countOf(place, 'labels'), 0)
  assert.equal((await importing(place, t, 'labels.csv', 'name\na\n')).code, 0)
  assert.match(
    await faultsOf('labels.csv', 'name\nc\na\n'),
    /line 3, column 1 \(name\): This value is already taken/,
  )
  assert.match(await faultsOf('tasks.xml', ''), /Expected a file that ends in \.csv or \.ndjson/)
  const { text } = await command(place, t, 'import', 'task', 'x.csv')
  assert.match(text, /There is no collection 'task'\. Did you mean 'tasks'/)
  assert.match((await command(place, t, 'import', 'tokens', 'x.csv')).text, /There is no collection 'tokens'/)
  assert.match((await command(place, t, 'import', 'tasks', 'x.csv')).text, /There is no file x\.csv/)
})

test('checks and before hooks run as for any write; --no-logic leaves them out', async (t) => {
  const place = await placeOf(t)
  const lines = (numbers: readonly number[]) =>
    ['number,size', ...numbers.map((one) => `${one},small`)].join('\n')
  const numbers = Array.from({ length: 250 }, (_, at) => at + 1000)
  const first = await importing(place, t, 'entries.csv', lines(numbers))
  assert.equal(first.code, 0, first.text)
  const sum = (await exported(place, t, 'sums.ndjson')).trim()
  assert.equal(
    JSON.parse(sum).value,
    numbers.reduce((one, other) => one + other, 0),
  )
  assert.match(await exported(place, t, 'entries.csv'), /,1249,small,2498,/)
  const refused = await importing(place, t, 'entries.csv', lines([1, 13, 666, 4]))
  assert.match(refused.text, /line 3, column 1 \(number\): Must not be 13\./)
  assert.match(refused.text, /line 4: Not this one\./)
  assert.equal(await countOf(place, 'entries'), 250)
  const without = await importing(place, t, 'entries.csv', lines([1, 13, 666, 4]), '--no-logic')
  assert.equal(without.code, 0, without.text)
  assert.equal(await countOf(place, 'entries'), 254)
  assert.equal((await exported(place, t, 'sums.ndjson')).trim(), sum)
  const changes = await withStore(place, async (store) => store.readChanges(0, 10_000))
  const withoutLogic = changes.filter(({ actor }) => actor?.name === importWithoutLogic)
  assert.deepEqual(
    withoutLogic.map(({ after }) => after?.[4]),
    [1, 13, 666, 4],
  )
})

test('a second run imports nothing twice: after a fault, of an extended file, of the same file', async (t) => {
  const place = await placeOf(t)
  const lines = (count: number, wrong?: number) =>
    ['title', ...Array.from({ length: count }, (_, at) => (at === wrong ? '""' : `Task ${at}`)), ''].join(
      '\n',
    )
  const faulty = await importing(place, t, 'tasks.csv', lines(2300, 2100))
  assert.match(faulty.text, /^tasks\.csv, line 2102, column 1 \(title\): /)
  assert.match(faulty.text, /^2000 rows before that are imported\./m)
  const corrected = await importing(place, t, 'tasks.csv', lines(2300))
  assert.match(corrected.text, /^Skipped 2000 rows .*\nImported 300 rows into tasks/m)
  const extended = await importing(place, t, 'tasks.csv', lines(3400))
  assert.match(extended.text, /^Skipped 2300 rows .*\nImported 1100 rows/m)
  const again = await importing(place, t, 'tasks.csv', lines(3400), '--no-logic')
  assert.match(again.text, /^Skipped 3400 rows .*\nImported 0 rows into tasks\.$/m)
  assert.equal(await countOf(place, 'tasks'), 3400)
  const more = await importing(place, t, 'tasks.csv', lines(10), '--label', 'second')
  assert.match(more.text, /^Imported 10 rows/m)
  assert.equal(await countOf(place, 'tasks'), 3410)
})

test('accounts are imported without passwords where these are optional; else the fault says how', async (t) => {
  const place = await placeOf(t)
  const file = join(place.folder, 'people.csv')
  const lines = Array.from({ length: 5000 }, (_, at) => `p${at}@example.org`)
  await writeFile(file, ['email', ...lines].join('\n'))
  const words = ['import', 'people', file, '--service', people, '--database', place.database]
  const { code, stdout, stderr } = await runCommand(t, words)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^Imported 5000 rows into people, /m)
  const other = await placeOf(t)
  const refused = await importing(other, t, 'users.csv', 'email,name\nada@example.org,Ada\n')
  assert.equal(refused.code, 1)
  assert.match(refused.text, /password\)?: This field is required\..*add \.optional\(\) to the field/)
})

test('the time left follows the rows that are stored, not those that were read, nor those of an earlier run', () => {
  assert.equal(
    formatProgress('Imported', { rows: 100, share: 0.1 }, 1000),
    'Imported 100 rows, 100 rows/s, 0:09 left',
  )
  const resumed = { rows: 100, share: 0.75, earlier: 0.5 }
  assert.equal(formatProgress('Imported', resumed, 1000), 'Imported 100 rows, 100 rows/s, 0:01 left')
})

test('the octets until a line are its part of what was read', async (t) => {
  const file = join(await folderOf(t), 'people.ndjson')
  await writeFile(file, `{"email":"ada@example.org"}\n`.repeat(1000))
  const { resources } = checkDefinition(tracker)
  const source = openRecords(file, resources.get('users') as ResourceModel, () => undefined)
  const { done } = await source.records[Symbol.asyncIterator]().next()
  assert.equal(done, false)
  assert.deepEqual([source.octetsUntil(100), source.octetsUntil(1000)], [2800, 28_000])
})

test('a password is stored as a hash, and never exported', async (t) => {
  const place = await placeOf(t)
  const content = 'email,name,password\nada@example.org,Ada,correct horse battery\n'
  assert.equal((await importing(place, t, 'users.csv', content)).code, 0)
  const written = await exported(place, t, 'users.csv')
  assert.match(written, /^id,email,name,role,disabled,createdAt,updatedAt\r\n/)
  assert.doesNotMatch(written, /horse|scrypt/)
})
