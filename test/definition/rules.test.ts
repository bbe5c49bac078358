import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice } from '../../src/definition/kinds/choice.ts'
import { decimal } from '../../src/definition/kinds/decimal.ts'
import { email } from '../../src/definition/kinds/email.ts'
import { json } from '../../src/definition/kinds/json.ts'
import { list } from '../../src/definition/kinds/list.ts'
import { integer } from '../../src/definition/kinds/number.ts'
import { password } from '../../src/definition/kinds/password.ts'
import { ref } from '../../src/definition/kinds/ref.ts'
import { state } from '../../src/definition/kinds/state.ts'
import { text } from '../../src/definition/kinds/text.ts'
import {
  and,
  anyone,
  nobody,
  not,
  or,
  owner,
  role,
  self,
  signedIn,
  where,
} from '../../src/definition/rule-functions.ts'
import { accounts, faultOf, faultsOf, loose, modelOf, things, users } from './sample.ts'

const roles = choice(['member', 'admin']).default('member').writableBy(role('admin'))
const withRoles = { accounts: { ...accounts, roles: 'roles' } }

/** Reading `things`, which has an author and a status, is allowed by the rule. */
function reading(rule: unknown) {
  const fields = {
    author: ref('users').optional(),
    status: choice(['draft', 'published']),
    price: decimal({ scale: 2 }),
    secret: text().writeOnly(),
    tags: list(text()),
    data: json(),
    parent: ref('things').optional(),
  }
  return { users: users({ roles }), things: loose(fields, { access: { read: rule } }) }
}

test('rules and combinators are data', () => {
  const rule = and(or(signedIn, anyone), not(nobody), where({ status: ['draft', 'published'] }))
  const model = modelOf(reading([rule, owner('parent.author')]), withRoles)
  assert.deepEqual(model.resources.get('things')?.access.read, {
    kind: 'any',
    of: [
      {
        kind: 'all',
        of: [
          { kind: 'any', of: [{ kind: 'signed-in' }, { kind: 'anyone' }] },
          { kind: 'not', of: { kind: 'nobody' } },
          { kind: 'where', fields: { status: ['draft', 'published'] } },
        ],
      },
      { kind: 'owner', path: ['parent', 'author'] },
    ],
  })
})

test('a value that is not a rule is refused', () => {
  const refused: readonly unknown[] = [
    'anyone',
    owner,
    [],
    null,
    { kind: 'everyone' },
    { kind: 'owner' },
    { kind: 'role' },
    { kind: 'any' },
    { kind: 'all', of: [] },
    { kind: 'not' },
    { kind: 'where' },
    where({}),
    where({ status: [] }),
    where({ status: null as never }),
    where({ status: (() => 1) as never }),
    owner(''),
    owner('parent..author'),
    (role as () => unknown)(),
    (and as () => unknown)(),
  ]
  for (const rule of refused) {
    assert.match(faultOf(reading(rule), withRoles), /^things: Access to read: /)
  }
})

test('owner is a path of references to the accounts', () => {
  const fault = (path: string) => faultOf(reading(owner(path)), withRoles)
  assert.match(fault('autor'), /Unknown field 'autor' in things. Did you mean 'author'\?/)
  assert.match(fault('status'), /'status' is not a reference/)
  assert.match(fault('parent'), /refers to things, not to users/)
  assert.match(fault('author.emial'), /Unknown field 'emial' in users. Did you mean 'email'\?/)
})

test('self applies only to accounts', () => {
  assert.match(faultOf(reading(self), withRoles), /applies only to accounts/)
  assert.ok(modelOf({ users: users({}, { access: { read: self } }) }, { accounts }))
})

test('role takes declared roles', () => {
  assert.match(faultOf(reading(role('amdin')), withRoles), /Unknown role 'amdin'. Did you mean 'admin'\?/)
  const none = { users: users(), things: loose({ a: text() }, { access: { read: role('x') } }) }
  assert.match(faultOf(none, { accounts }), /needs a field of roles/)
})

test('where compares single visible fields with valid values', () => {
  const fault = (fields: Record<string, string>) => faultOf(reading(where(fields)), withRoles)
  assert.match(fault({ statsu: 'draft' }), /Did you mean 'status'\?/)
  assert.match(fault({ status: 'drfat' }), /'drfat' is not a valid value of 'status'.*Did you mean 'draft'\?/)
  assert.match(fault({ price: '1.234' }), /not a valid value of 'price'/)
  assert.match(fault({ secret: 'x' }), /'secret', which is write-only/)
  for (const name of ['tags', 'data', 'author']) assert.match(fault({ [name]: 'x' }), /cannot compare/)
  assert.ok(modelOf(reading(where({ price: '1.20' })), withRoles))
})

test('rules of fields and transitions are checked too', () => {
  const resources = (field: unknown) => ({ users: users({ roles }), things: loose({ a: field }) })
  assert.match(faultOf(resources(text().visibleTo(role('x'))), withRoles), /^things.a: visibleTo: /)
  assert.match(faultOf(resources(text().writableBy(self)), withRoles), /^things.a: writableBy: /)
  const status = (by: unknown) =>
    state({ initial: 'a', transitions: { go: { from: 'a', to: 'b', by: by as never } } })
  assert.match(faultOf(resources(status(role('x'))), withRoles), /^things.a: Transition 'go': /)
  assert.match(faultOf(resources(status('admin')), withRoles), /Not a rule/)
})

test('rules about accounts need accounts', () => {
  for (const rule of [signedIn, role('admin'), not(signedIn)]) {
    const fault = faultOf({ things: loose({ a: text() }, { access: { read: rule } }) })
    assert.match(fault, /needs accounts, but the service declares none/)
  }
  assert.match(faultOf({ things: loose({ a: text() }, { access: { read: self } }) }), /rule self/)
  const owned = loose({ a: ref('things').optional() }, { access: { read: owner('a') } })
  assert.match(faultOf({ things: owned }), /rule owner needs accounts/)
  const taken = loose({ a: ref('things').optional().fromPrincipal() })
  assert.match(faultOf({ things: taken }), /fromPrincipal needs accounts/)
})

test('fromPrincipal refers to the accounts and is never empty', () => {
  const resources = (field: unknown, create: unknown) => ({
    users: users(),
    others: loose({ b: text() }),
    things: loose({ a: field }, { access: { create } }),
  })
  const mine = ref('users').fromPrincipal()
  assert.ok(modelOf(resources(mine, signedIn), { accounts }))
  assert.ok(modelOf(resources(mine.optional(), anyone), { accounts }))
  assert.match(
    faultOf(resources(ref('others').fromPrincipal(), signedIn), { accounts }),
    /a reference to users, not to others. Use ref\('users'\)/,
  )
  assert.match(faultOf(resources(mine, anyone), { accounts }), /would be empty/)
  assert.match(faultOf(resources(mine, not(signedIn)), { accounts }), /would be empty/)
  assert.ok(modelOf(resources(mine, not(anyone)), { accounts }))
  assert.match(faultOf(resources(mine.writableBy(signedIn), signedIn), { accounts }), /no effect/)
})

test('references: the target exists, clear needs an optional field, a first item is possible', () => {
  assert.match(faultOf({ things: loose({ a: ref('thing') }) }), /mean 'things'\?/)
  const cleared = ref('others', { onDelete: 'clear' })
  const resources = (a: unknown) => ({ things: loose({ a }), others: loose({ b: text() }) })
  assert.match(faultOf(resources(cleared)), /'clear' would empty a required field/)
  assert.ok(modelOf(resources(cleared.optional())))
  assert.match(faultOf(resources(ref('others', { onDelete: 'drop' } as never))), /'onDelete' must be/)
  assert.match(faultOf({ things: loose({ a: ref('things') }) }), /form a cycle/)
  const circle = { things: loose({ a: ref('others') }), others: loose({ b: ref('things') }) }
  assert.equal(faultsOf(circle).length, 2)
})

test('a key is a required, visible single value', () => {
  const fault = (field: unknown) => faultOf({ things: loose({ code: field }, { key: 'code' }) })
  assert.match(faultOf({ things: loose({ code: text() }, { key: 'cod' }) }), /mean 'code'\?/)
  assert.match(fault(text().optional()), /cannot be optional/)
  assert.match(fault(text().writeOnly()), /cannot be hidden/)
  assert.match(fault(text().visibleTo(anyone)), /cannot be hidden/)
  assert.match(fault(text().default('a')), /cannot have a default/)
  assert.match(fault(list(text())), /cannot be list\(\)/)
  assert.match(fault(decimal({ scale: 1 })), /cannot be decimal\(\)/)
  assert.match(fault(text({ max: 501 })), /at most 500/)
  assert.ok(things({ code: integer() }, { key: 'code' }).keyField?.unique)
})

test('search takes text fields that every reader sees', () => {
  const fault = (field: unknown) => faultOf({ things: loose({ a: field }, { search: ['a'] }) })
  assert.match(faultOf({ things: loose({ abc: text() }, { search: ['abx'] }) }), /mean 'abc'\?/)
  assert.match(fault(text().visibleTo(nobody)), /A search would reveal its values/)
  assert.match(fault(text().writeOnly()), /A search would reveal its values/)
  assert.match(fault(integer()), /Only text fields can be searched/)
  assert.match(faultOf({ things: loose({ a: text() }, { search: ['a', 'a'] }) }), /twice/)
})

test('an index takes single values, without duplicates', () => {
  const fault = (index: unknown, field: unknown = text()) =>
    faultOf({ things: loose({ name: field }, { index }) })
  assert.match(fault(['nmae']), /mean 'name'\?/)
  assert.match(fault(['name'], list(text())), /cannot be indexed/)
  assert.match(fault(['name'], password()), /cannot be indexed/)
  assert.match(fault(['xyzzy']), /Unknown field 'xyzzy' in things. Its fields: name\./)
  assert.match(fault(['name', ['name']]), /Entry 2, \["name"\], is the same index as entry 1\. Remove one\./)
  assert.match(fault([['name', 'name']]), /names a field twice/)
  assert.match(fault([[]]), /An index without fields has no effect/)
  assert.match(fault(['name'], text({ max: 501 })), /at most 500/)
})

test('accounts: every name is known', () => {
  const fault = (named: object) =>
    faultOf({ users: users({ roles }) }, { accounts: { ...withRoles.accounts, ...named } })
  assert.match(fault({ resource: 'user' }), /mean 'users'\?/)
  assert.match(fault({ login: 'emial' }), /mean 'email'\?/)
  assert.match(fault({ pasword: 'x' }), /mean 'password'\?/)
  assert.match(fault({ roles: 'rolles' }), /mean 'roles'\?/)
  const missing = faultsOf({ users: users() }, { accounts: {} })
  assert.equal(missing.length, 3)
  assert.match(faultsOf({ users: users() }, { accounts: 'users' })[0]!.reason, /must be an object/)
})

test('accounts: the login is unique and required, the password is a password', () => {
  const fault = (fields: object, named: object) =>
    faultOf({ users: loose(fields as never) }, { accounts: { ...accounts, ...named } })
  const secret = { password: password() }
  assert.match(fault({ email: email(), ...secret }, {}), /must be unique/)
  assert.match(fault({ email: email().unique().optional(), ...secret }, {}), /cannot be optional/)
  assert.match(fault({ email: email().unique().writeOnly(), ...secret }, {}), /write-only/)
  assert.match(fault({ email: integer().unique(), ...secret }, {}), /must be a text\(\) or an email\(\)/)
  assert.match(fault({ email: email().unique(), password: text() }, {}), /must be a password\(\)/)
})

test('accounts: roles are a choice or a list of choices that includes the admin role', () => {
  const fault = (field: unknown, named: object = {}) =>
    faultOf({ users: users({ roles: field as never }) }, { accounts: { ...withRoles.accounts, ...named } })
  const guarded = choice(['user', 'boss']).default('user').readOnly()
  assert.match(fault(text().default('').readOnly()), /must be a choice\(\) or a list/)
  assert.match(fault(guarded), /role 'admin' is not one of the roles. Set 'admin' to one of them/)
  assert.match(fault(guarded, { admin: 'bos' }), /Did you mean 'boss'\?/)
  const many = list(choice(['admin']))
    .default([])
    .writableBy(role('admin'))
  assert.ok(modelOf({ users: users({ roles: many }) }, withRoles))
  assert.match(
    faultOf({ users: users() }, { accounts: { ...accounts, admin: 'x' } }),
    /needs the option 'roles'/,
  )
})

test('accounts: no caller can give itself a role', () => {
  const open = choice(['member', 'admin']).default('member')
  const resources = (field: unknown, access: object) => ({
    users: users({ roles: field as never }, { access }),
  })
  assert.match(
    faultOf(resources(open, { create: anyone }), withRoles),
    /^users.roles: Every caller who may create/,
  )
  assert.match(faultOf(resources(open, { update: [self, role('admin')] }), withRoles), /may update/)
  assert.match(faultOf(resources(open.writableBy(self), { update: self }), withRoles), /may update/)
  assert.ok(modelOf(resources(open, { update: and(self, role('admin')) }), withRoles))
  assert.ok(modelOf(resources(roles, { create: anyone, update: self }), withRoles))
})

test('accounts: the first account can be created', () => {
  const fault = (fields: object, first?: object) =>
    faultOf(
      { users: users(fields as never), teams: loose({ a: text() }) },
      {
        accounts: { ...accounts, ...(first && { first }) },
      },
    )
  assert.match(fault({ age: integer() }), /needs a value for 'age'. Add it to 'first'/)
  assert.match(fault({ team: ref('teams') }), /needs a value for 'team'. Make the field optional/)
  assert.match(fault({ name: text({ pattern: '^A' }) }), /needs a value for 'name'/)
  assert.match(fault({ age: integer() }, { age: 'x' }), /'first' is not valid at \/age/)
  assert.match(fault({ age: integer().optional() }, { aeg: 1 }), /mean 'age'\?/)
  assert.match(fault({}, { email: 'a@b' }), /cannot set 'email'/)
  const lost = faultsOf(
    { users: users({ team: ref('team') }) },
    { accounts: { ...accounts, first: { team: 'x' } } },
  )
  assert.match(lost[0]!.reason, /cannot set 'team'/)
  const status = state({ initial: 'a', transitions: { go: { from: 'a', to: 'b' } } })
  assert.match(fault({ status }, { status: 'b' }), /another state than/)
  assert.ok(modelOf({ users: users({ name: text(), status }) }, { accounts }))
})
