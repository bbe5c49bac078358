/** Random definitions: a few resources with every kind of field, rule and state that is declared. */

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
  nobody,
  now,
  number,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  state,
  text,
  timestamp,
  url,
  uuid,
  where,
} from 'restwell'
import type { Field } from '../../src/definition/field.ts'
import type { Rule } from '../../src/definition/rule.ts'

type Random = () => number

export function randomDefinition(random: Random) {
  const names = ['alphas', 'betas', 'gammas'].slice(0, 1 + Math.floor(random() * 3))
  const earlier: string[] = []
  const made = names.map((name) => {
    const one = randomResource(random, earlier)
    earlier.push(name)
    return [name, one] as const
  })
  return service({
    title: 'Random',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: { users: users(random), ...Object.fromEntries(made) },
  })
}

function users(random: Random) {
  const read = pick(random, [anyone, signedIn, [self, role('admin')], role('admin')])
  return resource(
    {
      email: email().unique().visibleTo(self, role('admin')),
      password: password({ min: 12 }),
      role: choice(['member', 'editor', 'admin']).default('member').writableBy(role('admin')),
    },
    {
      access: {
        read,
        create: pick(random, [anyone, role('admin')]),
        update: pick(random, [[self, role('admin')], role('admin')]),
        delete: pick(random, [self, nobody, role('admin')]),
      },
    },
  )
}

function randomResource(random: Random, earlier: readonly string[]) {
  const fields: Record<string, Field> = {
    name: text({ min: 1, max: 60 }),
    open: boolean(),
    owner: ref('users').fromPrincipal().optional(),
    status: randomState(random),
    doneAt: timestamp().optional().readOnly(),
    note: text({ max: 200 }).optional(),
  }
  for (const [index, field] of someFields(random).entries()) fields[`extra${index}`] = field
  for (const name of earlier) {
    if (random() < 0.6) fields[`${name}Of`] = reference(random, name)
  }
  const methods = random() < 0.3 ? { methods: someMethods(random) } : {}
  return resource(fields, {
    access: {
      read: rules(random),
      create: pick(random, creationRules),
      update: rules(random),
      delete: rules(random),
    },
    ...methods,
    ...(random() < 0.2 ? { conditional: 'required' as const } : {}),
  })
}

function someMethods(random: Random) {
  const some = (['POST', 'PUT', 'PATCH', 'DELETE'] as const).filter(() => random() < 0.6)
  return ['GET' as const, ...some]
}

function reference(random: Random, name: string): Field {
  const onDelete = pick(random, ['restrict', 'clear'] as const)
  return ref(name, { onDelete }).optional()
}

function someFields(random: Random): readonly Field[] {
  const all: readonly (() => Field)[] = [
    () => integer({ min: -5, max: 5 }),
    () => number().optional(),
    () => decimal({ scale: 2, min: '0', max: '1000' }),
    () => date(),
    () => timestamp(),
    () => url().optional(),
    () => uuid(),
    () => email().optional(),
    () => choice(['a', 'b']).default('a'),
    () => list(text({ max: 10 }), { max: 3 }).default([]),
    () => list(choice(['x', 'y']), { max: 2, unique: true }).optional(),
    () => list(integer({ min: 0, max: 9 }), { min: 1, max: 3 }),
    () => json().optional(),
    () => text({ pattern: '^[a-z]{3,8}$', max: 8 }),
    () => text().optional().visibleTo(role('admin')),
    () => text({ max: 20 }).optional().writableBy(role('editor', 'admin')),
    () => text({ max: 20 }).writeOnly().optional(),
    () => integer({ min: 0, max: 9 }).immutable(),
    () => text({ max: 20 }).immutable().optional(),
  ]
  return all.filter(() => random() < 0.3).map((make) => make())
}

function randomState(random: Random): Field {
  const by = (): { by?: Rule } =>
    random() < 0.4 ? { by: pick(random, [role('editor'), signedIn, owner('owner')]) } : {}
  const requires = random() < 0.5 ? { requires: ['note'] } : {}
  const sets = random() < 0.5 ? { sets: { doneAt: now } } : {}
  return state({
    initial: 'one',
    transitions: {
      advance: { from: 'one', to: 'two', ...by(), ...requires },
      finish: { from: ['one', 'two'], to: 'three', ...by(), ...sets },
      back: {
        from: 'three',
        to: 'one',
        ...by(),
        ...(random() < 0.3 ? { sets: { open: true } } : {}),
      },
    },
  })
}

function rules(random: Random): Rule | Rule[] {
  const some = simpleRules.filter(() => random() < 0.3)
  return some.length > 0 ? some : pick(random, [anyone, signedIn])
}

/** What a form can see to: the caller, what it sends, and what every new item begins with. */
const creationRules: readonly Rule[] = [
  anyone,
  signedIn,
  role('editor', 'admin'),
  nobody,
  where({ open: true }),
  owner('owner'),
  where({ status: 'one' }),
  where({ status: 'two' }),
]

const simpleRules: readonly Rule[] = [
  signedIn,
  role('editor', 'admin'),
  role('admin'),
  owner('owner'),
  where({ open: true }),
  where({ status: ['one', 'two'] }),
  where({ status: 'three' }),
]

function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T
}
