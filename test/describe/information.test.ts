/** What a definition says about itself is the `info` of OpenAPI. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { handling } from '../handling.ts'

const resources = { notes: resource({ title: text() }, { access: { read: anyone } }) }

async function infoOf(options: object) {
  await using s = await handling(service({ title: 'Notes', resources, ...options }))
  return (await s.handle('GET /openapi.json')).json.info
}

function faultOf(options: object): string {
  try {
    checkDefinition(service({ title: 'Notes', resources, ...options }))
  } catch (error) {
    if (error instanceof DefinitionFault) return error.message
    throw error
  }
  return ''
}

test('version, description, licence and contact are those of the definition', async () => {
  const contact = { name: 'Front desk', email: 'desk@example.org', url: 'https://example.org/help' }
  const stated = { version: '1.4.0', description: 'Notes of the *practice*.', licence: 'MIT', contact }
  const { description, ...info } = await infoOf(stated)
  assert.deepEqual(info, {
    title: 'Notes',
    version: '1.4.0',
    contact,
    license: { name: 'MIT', identifier: 'MIT' },
  })
  assert.match(description, /^Notes of the \*practice\*\. Responses depend on the rights of the caller\./)
  const licence = { name: 'Ours', url: 'https://example.org/licence' }
  assert.deepEqual((await infoOf({ licence })).license, licence)
})

test('what is not stated is not invented', async () => {
  const { version, license, contact } = await infoOf({})
  assert.deepEqual([version, license.name, contact], ['Not stated', 'Not stated', undefined])
})

test('a version of the interface has its own name', async () => {
  const versions = { v1: { notes: { renamed: { name: 'title' } } } }
  const definition = service({
    title: 'Notes',
    name: 'notes',
    version: '2.0.0',
    resources,
    versions,
  } as never)
  await using s = await handling(definition)
  assert.equal((await s.handle('GET /openapi.json?api-version=v1')).json.info.version, 'v1')
  assert.equal((await s.handle('GET /openapi.json')).json.info.version, '2.0.0')
})

test('invalid values are refused at their place, with what is expected', () => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ version: 2 }, /'version' must be a text/],
    [{ version: '' }, /'version' must be a text/],
    [{ description: '' }, /'description' must be a non-empty text/],
    [{ licence: 'The MIT license' }, /'licence' must be an SPDX identifier such as 'MIT'/],
    [{ licence: { name: 'Ours' } }, /Licence: The option 'url' is missing/],
    [{ licence: { name: 'Ours', url: 'ours.txt' } }, /Licence: The option 'url' must be a URI/],
    [{ license: 'MIT' }, /Did you mean 'licence'\?/],
    [{ contact: 'me' }, /'contact' must be an object/],
    [{ contact: { mail: 'a@b.c' } }, /Contact: Unknown option 'mail'/],
    [{ contact: { email: 'me' } }, /Contact: The option 'email' must be a mail address/],
    [{ contact: { url: 'javascript:alert(1)' } }, /Contact: The option 'url' must be a URI/],
  ]
  for (const [options, expected] of cases) assert.match(faultOf(options), expected, JSON.stringify(options))
})
