/** `refuse` with a field: code refuses at one field of the content (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { action, anyone, integer, ref, resource, service, text } from '../../../src/index.ts'
import { type Reply, serve, type TestService } from '../../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const people = resource({ name: text() }, { access, bulk: true })
const orders = resource({ person: ref('people'), number: integer() }, { access })
const resources = { people, orders }

const definition = service(
  { title: 'Shop', resources },
  {
    people: {
      before: {
        create({ name }, { refuse }) {
          if (name === 'root') refuse('invalid-content', 'Must not be root.', { field: 'name' })
          if (name === 'taken') refuse('state-conflict', 'The name is reserved.', { field: 'name' })
          if (name === 'wrong') refuse('invalid-content', 'Wrong.', { field: 'nmae' as 'name' })
        },
        delete(_, { refuse }) {
          refuse('state-conflict', 'People stay.')
        },
      },
      actions: {
        order: action({
          by: anyone,
          input: { number: integer(), name: text().default('Ada') },
          async run({ id }, { number, name }, { orders, people, refuse }) {
            if (number > 10) return refuse('invalid-content', 'Must be at most 10.', { field: 'number' })
            await people.create({ name })
            return orders.create({ person: id, number })
          },
        }),
        ship: action({
          by: anyone,
          background: true,
          input: { number: integer() },
          run: (_item, _input, { refuse }) =>
            refuse('invalid-content', 'None are left.', { field: 'number' }),
        }),
      },
    },
  },
)

const faults = ({ status, json }: Reply) => [status, json.errors]
const atField = (pointer: string, detail: string) => [{ pointer, rule: 'check', detail }]

async function open(): Promise<{ readonly s: TestService; readonly ada: string } & AsyncDisposable> {
  const s = await serve(definition)
  const ada = String((await s.request('POST /people', {}, { name: 'Ada' })).fields.location)
  return { s, ada, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

describe('refuse with a field', () => {
  it('is a fault at the field of the item; the status follows the type', async () => {
    await using o = await open()
    const root = await o.s.request('POST /people', {}, { name: 'root' })
    assert.deepEqual(faults(root), [422, atField('/name', 'Must not be root.')])
    assert.equal(root.json.detail, 'Must not be root.')
    const taken = await o.s.request('POST /people', {}, { name: 'taken' })
    assert.deepEqual(faults(taken), [409, atField('/name', 'The name is reserved.')])
    const deleted = await o.s.request(`DELETE ${o.ada}`)
    assert.deepEqual(faults(deleted), [409, undefined])
  })

  it('begins with the row where several items are sent', async () => {
    await using o = await open()
    const reply = await o.s.request('POST /people', {}, [{ name: 'Bob' }, { name: 'root' }])
    assert.deepEqual(faults(reply), [422, atField('/1/name', 'Must not be root.')])
    assert.equal(reply.json.index, 1)
  })

  it('is a fault at the input of an action, but none at the item of a nested hook', async () => {
    await using o = await open()
    const order = (body: object) => o.s.request(`POST ${o.ada}/order`, {}, body)
    assert.deepEqual(faults(await order({ number: 11 })), [422, atField('/number', 'Must be at most 10.')])
    const nested = await order({ number: 1, name: 'root' })
    assert.deepEqual(faults(nested), [422, atField('', 'Must not be root.')])
  })

  it('is in the problem of a job', async () => {
    await using o = await open()
    const { json } = await o.s.request(`POST ${o.ada}/ship`, { prefer: 'wait=20' }, { number: 1 })
    assert.deepEqual(json.problem?.errors, atField('/number', 'None are left.'))
  })

  it('a field that is not there is a fault of the code, with a suggestion', async () => {
    await using o = await open()
    assert.equal((await o.s.request('POST /people', {}, { name: 'wrong' })).status, 500)
    const failure = o.s.observations.find((one) => one.kind === 'logic-failed')
    assert.match(String(failure?.cause), /people\.before\.create refuses at .*'nmae'.*Did you mean 'name'\?/)
  })

  it('forms show it beside the field', async () => {
    await using o = await open()
    const html = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await o.s.request('POST /forms/people', html, 'name=root')
    assert.equal(reply.status, 422)
    assert.match(reply.text, /aria-invalid="true"[^>]*>.*Must not be root\./s)
    const action = await o.s.request(`POST /forms${o.ada}/order`, html, 'number=11')
    assert.equal(action.status, 422)
    assert.match(action.text, /aria-invalid="true"[^>]*>.*Must be at most 10\./s)
  })
})
