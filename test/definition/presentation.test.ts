/** Options and modifiers for people: what a definition may say, and which faults a start names. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field } from '../../src/definition/field.ts'
import {
  anyone,
  boolean,
  choice,
  computed,
  count,
  date,
  file,
  integer,
  json,
  list,
  nobody,
  password,
  ref,
  refs,
  state,
  text,
} from '../../src/index.ts'
import { faultOf, faultOfField, faultsOf, loose, modelOf, things } from './sample.ts'

test('every kind of field takes a label and help, in any order of modifiers', () => {
  const status = state({ initial: 'a', transitions: { go: { from: 'a', to: 'b' } } })
  const fields: Readonly<Record<string, Field>> = {
    title: text().label('Heading').optional(),
    secret: password().optional().label('Passphrase'),
    other: ref('things').optional().help('Another one.'),
    others: refs('things').label('Others'),
    image: file({ types: ['image/*'], max: '1 MB' })
      .label('Photo')
      .optional(),
    tags: list(text()).label('Tags'),
    data: json({ type: 'object' }).optional().label('Data'),
    status: status.label('Progress').help('Where it is.'),
  }
  const { fieldByName } = things(fields)
  const labels = [...fieldByName.values()].map(({ name, label, help }) => [name, label, help])
  assert.deepEqual(labels, [
    ['title', 'Heading', undefined],
    ['secret', 'Passphrase', undefined],
    ['other', undefined, 'Another one.'],
    ['others', 'Others', undefined],
    ['image', 'Photo', undefined],
    ['tags', 'Tags', undefined],
    ['data', 'Data', undefined],
    ['status', 'Progress', 'Where it is.'],
  ])
})

test('a label has 1 to 100 characters on one line, help up to 500', () => {
  const expected = 'things.thing: .label(…) must have a text of 1 to 100 characters on one line, not'
  for (const value of ['', ' ', 'a\nb', 'a'.repeat(101), 3, null, undefined]) {
    const fault = faultOfField(text().label(value as string))
    assert.ok(fault.startsWith(expected), fault)
  }
  assert.match(faultOfField(text().help('a'.repeat(501))), /\.help\(…\) must have a text of 1 to 500/)
  assert.ok(things({ thing: text().label('😀'.repeat(100)).help('a'.repeat(500)) }))
})

test('the items of a list have no label of their own', () => {
  assert.match(faultOfField(list(text().label('Tag'))), /cannot have modifiers/)
})

test('the title is a text field that every reader sees', () => {
  const fields = { name: text(), stock: integer(), hidden: text().visibleTo(nobody) }
  const faultOfTitle = (title: unknown) => faultOf({ things: loose(fields, { title }) })
  assert.equal(
    faultOfTitle('nam'),
    "things: The option 'title': Unknown field 'nam' in things. Did you mean 'name'?",
  )
  assert.equal(faultOfTitle('stock'), "things: The option 'title': 'stock' is integer(). Name a text field.")
  assert.match(faultOfTitle('hidden'), /'hidden' is not visible to every reader/)
  assert.match(faultOfTitle(3), /must be a non-empty text, not 3/)
  assert.deepEqual(
    things(fields, { title: 'name' }).presentation.title?.map(({ field }) => field),
    ['name'],
  )
})

test('a title of several fields is checked part by part', () => {
  const fields = {
    name: text(),
    number: integer(),
    hidden: text().visibleTo(nobody),
    secret: text().writeOnly(),
    tags: list(text()),
    owner: ref('things').optional(),
    done: boolean(),
  }
  const faultOfTitle = (title: string) => faultOf({ things: loose(fields, { title }) })
  assert.match(faultOfTitle('{name} · {numbr}'), /Unknown field 'numbr' in things\. Did you mean 'number'\?/)
  assert.match(faultOfTitle('{secret}'), /'secret' is never shown/)
  for (const name of ['tags', 'done']) {
    assert.match(
      faultOfTitle(`{name} {${name}}`),
      new RegExp(`'${name}' is \\w+\\(\\)\\. Name a field with a text`),
    )
  }
  assert.match(faultOfTitle('{owner}'), /Name a field of its item, such as 'owner\.name'/)
  assert.match(faultOfTitle('{owner.nme}'), /Unknown field 'nme' in things\. Did you mean 'name'\?/)
  assert.match(faultOfTitle('{owner.secret}'), /'secret' is never shown/)
  assert.match(faultOfTitle('{name.number}'), /'name' is text\(\)\. Name a field of things, or of a ref\(\)/)
  assert.match(faultOfTitle('{owner.owner.name}'), /Unknown field 'owner\.name' in things/)
  assert.match(faultOfTitle('owner.name'), /Unknown field 'owner\.name' in things/)
  assert.match(faultOfTitle('{name} {name}'), /'name' is named twice/)
  const several = Object.fromEntries([...'abcdef'].map((name) => [name, text()]))
  assert.match(faultOf({ things: loose(several, { title: '{a}{b}{c}{d}{e}{f}' }) }), /It names 6 fields/)
  for (const title of ['{name', 'name}', '{}', '{name} {', '{{name}}', '}{']) {
    assert.match(faultOfTitle(title), /has braces that do not name a field/, title)
  }
  assert.deepEqual(things(fields, { title: '#{number}: {owner.name} ({hidden}).' }).presentation.title, [
    { field: 'number', separator: '', before: '#', after: '' },
    { field: 'owner', of: 'name', separator: ': ', before: '', after: '' },
    { field: 'hidden', separator: ' ', before: '(', after: ').' },
  ])
})

test('columns are fields that lists show, each named once', () => {
  const owners = loose(
    { name: text(), code: text().writeOnly() },
    {
      access: { read: anyone },
      columns: ['code', 'nme', 'name', 'name', 'size', 'initial', 'createdAt'],
      derived: {
        size: count('things'),
        initial: computed(text(), ['name'], ({ name }) => String(name).slice(0, 1)).always(),
      },
    },
  )
  const faults = faultsOf({ owners, things: loose({ owner: ref('owners', { inverse: 'things' }) }) })
  assert.deepEqual(
    faults.map(({ reason, suggestion }) => [reason, suggestion]),
    [
      ["The option 'columns': 'name' is named twice.", 'Remove the duplicate.'],
      ["The option 'columns': 'code' is never shown.", 'Name another field.'],
      ["The option 'columns': Unknown field 'nme' in owners.", "Did you mean 'name'?"],
      ["The option 'columns': Lists do not show 'size'.", 'Add .always() to it.'],
    ],
  )
  assert.match(faultOf({ things: loose({ a: text() }, { columns: [] }) }), /The list is empty/)
})

test('the default order has fields that every reader sees and lists can be sorted by', () => {
  const fields = {
    name: text({ max: 200 }),
    since: date(),
    hidden: text({ max: 200 }).visibleTo(nobody),
    plain: text({ max: 200 }).filterable(false),
    long: text({ max: 301 }),
    tags: list(text()),
  }
  const faultOfSort = (defaultSort: unknown) => faultOf({ things: loose(fields, { defaultSort }) })
  assert.match(faultOfSort('-nam'), /Unknown field 'nam' in things\. Did you mean 'name'\?/)
  assert.match(faultOfSort('tags'), /cannot be sorted by 'tags', which is list\(\)/)
  assert.match(faultOfSort('hidden'), /The order would reveal its values/)
  assert.match(faultOfSort('plain'), /Remove \.filterable\(false\)/)
  assert.match(faultOfSort('name,-name'), /'name' is named twice/)
  assert.match(faultOfSort('name,long'), /can have 501 characters, .* Limit its fields by 'max' to 500/)
  assert.ok(things({ ...fields, long: text({ max: 300 }) }, { defaultSort: 'name,long' }))
  assert.match(faultOfSort('name, since'), /must be one to five names of fields, such as '-createdAt'/)
  assert.match(faultOfSort('owner.name'), /must be one to five names/)
  assert.match(faultOfSort('id,name,since,createdAt,updatedAt,plain'), /must be one to five names/)
  assert.deepEqual(things(fields, { defaultSort: '-since,id' }).presentation.defaultSort, [
    { name: 'since', descending: true },
    { name: 'id', descending: false },
  ])
})

test('nouns are texts on one line', () => {
  const options = { singular: 'VAT rate', plural: 'VAT rates' }
  const { presentation } = things({ a: text() }, options)
  assert.deepEqual([presentation.singular, presentation.plural], ['VAT rate', 'VAT rates'])
  assert.match(
    faultOf({ things: loose({ a: text() }, { plural: '' }) }),
    /'plural' must be a text of 1 to 100/,
  )
  assert.ok(modelOf({ things: loose({ a: text() }) }))
})

test('tones are for values of the choice or state', () => {
  const toned = (tones: unknown) => choice(['low', 'high'], { tones } as object)
  assert.equal(
    faultOfField(toned({ hihg: 'danger' })),
    "things.thing: The option 'tones' names 'hihg', which is not a value. Did you mean 'high'?",
  )
  assert.match(faultOfField(toned({ high: 'red' })), /'tones' must be an object with 'neutral', 'good'/)
  assert.match(faultOfField(toned(['danger'])), /'tones' must be an object/)
  assert.match(faultOfField(choice(['a'], JSON.parse('null'))), /Options must be an object, not null/)
  const transitions = { go: { from: 'a', to: 'b' } } as const
  assert.match(
    faultOfField(state({ initial: 'a', transitions, tones: { c: 'good' } as object })),
    /'tones' names 'c'/,
  )
  assert.deepEqual(
    things({ thing: toned({ high: 'danger' }) }).fieldByName.get('thing')?.tones,
    new Map([['high', 'danger']]),
  )
})

test('derived fields take a label and help; those of a computed field may be on its kind', () => {
  const initial = () => computed(text().label('Kind').help('Of the kind.'), ['name'], () => 'a')
  const { derived } = things(
    { name: text() },
    { derived: { first: initial(), second: initial().always().label('Own'), third: initial().help('Own.') } },
  )
  assert.deepEqual(
    derived.map(({ field: { label, help }, isAlwaysShown }) => [label, help, isAlwaysShown]),
    [
      ['Kind', 'Of the kind.', false],
      ['Own', 'Of the kind.', true],
      ['Kind', 'Own.', false],
    ],
  )
  assert.match(
    faultOf({ things: loose({ name: text() }, { derived: { first: initial().label('') } }) }),
    /^things\.first: \.label\(…\) must have a text/,
  )
})
