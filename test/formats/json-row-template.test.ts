/** A list in JSON is, octet for octet, its items in JSON: whether the store wrote it or we did. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  json,
  list,
  number,
  ref,
  resource,
  service,
  text,
  timestamp,
  url,
  uuid,
} from 'restwell'
import { anonymous } from '../../src/access/principal.ts'
import { rightsOf } from '../../src/access/rights.ts'
import { checkDefinition } from '../../src/definition/check-definition.ts'
import { jsonRowTemplate } from '../../src/formats/json-row-template.ts'
import { createFieldSelector } from '../../src/views/visible-fields.ts'
import { cases } from '../cases.ts'
import { handling } from '../handling.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Things',
  resources: {
    floors: resource({ level: integer() }, { key: 'level', access }),
    rooms: resource({ code: text({ max: 100 }) }, { key: 'code', access }),
    things: resource(
      {
        required: text({ max: 100 }),
        optional: text({ max: 100 }).optional(),
        mail: email().optional(),
        page: url().optional(),
        code: uuid().optional(),
        count: integer().optional(),
        done: boolean().optional(),
        size: choice(['small', 'large \'n\' "round"']).optional(),
        day: date().optional(),
        moment: timestamp().optional(),
        words: list(text({ max: 50 })).optional(),
        more: json().optional(),
        floor: ref('floors').optional(),
        room: ref('rooms').optional(),
        self: ref('things').optional(),
      },
      { access },
    ),
  },
})

/** Nothing that text may not have; much that JSON escapes, or might. */
const clean = (most: number) =>
  fc
    .string({
      unit: fc.oneof(
        fc.constantFrom('"', '\\', '/', "'", '\t', '\n', '\r', '\u007f', '\u2028', '\u00e9'),
        fc.constantFrom('\u{1F4A9}', '\ufeff', '\u0080', '<', '&', '%', '?', ','),
        fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
      ),
      maxLength: most,
    })
    .filter((value) => [...value].length <= most)

/** Numbers that content may not have. */
function isGreat(value: unknown): boolean {
  return /\d{16}|e\+/.test(JSON.stringify(value))
}

const thing = fc.record(
  {
    required: clean(30),
    optional: clean(30),
    mail: fc.constantFrom('ada@example.org', "o'hara@example.org"),
    page: fc.constantFrom('https://example.org/?a=1&b=%22', "https://example.org/'"),
    code: fc.uuid(),
    count: fc.maxSafeInteger(),
    done: fc.boolean(),
    size: fc.constantFrom('small', 'large \'n\' "round"'),
    day: fc.constantFrom('2026-02-28', '0001-01-01'),
    moment: fc.constantFrom('2026-02-28T12:00:00Z', '2026-02-28T12:00:00.125+02:00'),
    words: fc.array(clean(10), { maxLength: 3 }),
    more: fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null && !isGreat(value)),
    floor: fc.constantFrom('-7', '0', '42'),
    room: fc.constantFrom('1', 'a"b', "c'd", 'é\\'),
  },
  { requiredKeys: ['required'] },
)

it('a list is its items between brackets, whatever they hold and lack', async () => {
  await using s = await handling(definition)
  for (const level of [-7, 0, 42]) await s.handle('POST /floors', {}, { level })
  for (const code of ['1', 'a"b', "c'd", 'é\\']) await s.handle('POST /rooms', {}, { code })
  const property = fc.asyncProperty(fc.array(thing, { minLength: 1, maxLength: 5 }), async (all) => {
    const ids: string[] = []
    for (const one of all) {
      const made = await s.handle('POST /things', {}, { ...one, ...(ids[0] && { self: ids[0] }) })
      assert.equal(made.status, 201, made.text)
      ids.push(made.json.id)
    }
    // Those of one millisecond come in any order.
    ids.sort()
    const texts: string[] = []
    for (const id of ids) texts.push((await s.handle(`GET /things/${id}`)).text)
    const these = `id[in]=${ids.join()}`
    assert.equal((await s.handle(`GET /things?${these}&limit=9`)).text, `[${texts.join()}]`)
    const fields = 'fields=words,optional,createdAt,room'
    const some: string[] = []
    for (const id of ids) some.push((await s.handle(`GET /things/${id}?${fields}`)).text)
    assert.equal((await s.handle(`GET /things?${these}&${fields}`)).text, `[${some.join()}]`)
  })
  await fc.assert(property, { numRuns: cases(500), seed: 20261115 })
  for (const name of ['floors', 'rooms']) {
    const { json: items, text: whole } = await s.handle(`GET /${name}`)
    const texts: string[] = []
    for (const { id } of items) {
      texts.push((await s.handle(`GET /${name}/${encodeURIComponent(id)}`)).text)
    }
    assert.equal(whole, `[${texts.join()}]`)
  }
})

it('the store writes no number with a fraction: databases write them otherwise than JSON', () => {
  const fields = { weight: number(), price: decimal({ scale: 2 }), name: text() }
  for (const [name, field] of Object.entries(fields)) {
    const things = resource({ field }, { access })
    const model = checkDefinition(service({ title: 'Things', resources: { things } }))
    const rights = rightsOf(model.resources.get('things')!, anonymous)
    const written = jsonRowTemplate(createFieldSelector(rights, 'item').selectFields(() => false))
    assert.equal(written !== undefined, name === 'name', name)
  }
})
