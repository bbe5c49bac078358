import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseId } from '../../src/definition/item-id.ts'
import { choice } from '../../src/definition/kinds/choice.ts'
import { email } from '../../src/definition/kinds/email.ts'
import { integer } from '../../src/definition/kinds/number.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { things } from './sample.ts'

const identity = '01890a5d-ac96-774b-bcce-b302099a8057'

test('without a key the id is the identity, in lower case', () => {
  const resource = things({ a: text() })
  assert.equal(parseId(resource, identity), identity)
  for (const id of ['', 'x', identity.toUpperCase(), `${identity} `]) {
    assert.equal(parseId(resource, id), undefined)
  }
})

test('with a key the id is its value, as a string', () => {
  const byText = things({ a: integer(), code: text({ max: 3 }) }, { key: 'code' })
  assert.equal(parseId(byText, 'x/y'), 'x/y')
  for (const id of ['', '.', 'long']) assert.equal(parseId(byText, id), undefined)
  const byNumber = things({ no: integer({ min: 0 }) }, { key: 'no' })
  assert.equal(parseId(byNumber, '7'), 7)
})

test('one item has one id: other spellings of a value name nothing', () => {
  const byNumber = things({ no: integer() }, { key: 'no' })
  for (const id of ['07', '7.0', ' 7', '7e0', '0x7', '', '-0', '+7', '9007199254740993']) {
    assert.equal(parseId(byNumber, id), undefined, id)
  }
  const byMail = things({ mail: email() }, { key: 'mail' })
  assert.equal(parseId(byMail, 'a@b.c'), 'a@b.c')
  assert.equal(parseId(byMail, 'A@b.c'), undefined)
  const byChoice = things({ size: choice(['s', 'm']) }, { key: 'size' })
  assert.equal(parseId(byChoice, 'm'), 'm')
  assert.equal(parseId(byChoice, 'x'), undefined)
})
