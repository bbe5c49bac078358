/** A service whose members sign in through one provider. */

import {
  anyone,
  choice,
  email,
  env,
  oidc,
  password,
  resource,
  role,
  self,
  service,
  text,
} from '../../../src/index.ts'
import { serve, type TestService } from '../../service.ts'
import { clientId, type FakeProvider, variables } from './fake-provider.ts'

export const pass = 'the right password'
export const ada = 'ada@example.org'
export const proven = { email: ada, email_verified: true, name: 'Ada Lovelace' }

export const members = resource(
  {
    email: email().unique(),
    name: text({ max: 100 }),
    password: password({ min: 8 }),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: [self, role('admin')], delete: role('admin') } },
)
export const accounts = { resource: 'members', login: 'email', password: 'password', roles: 'role' } as const

export function definitionOf({ issuer }: { readonly issuer: string }, provision = true) {
  const provider = oidc({ name: 'id', issuer, clientId, clientSecret: env('ID_SECRET'), provision })
  return service({ title: 'Club', accounts, signIn: { providers: [provider] }, resources: { members } })
}

export async function start(provider: FakeProvider, provision = true): Promise<TestService> {
  return serve(definitionOf(provider, provision), { variables })
}

export const count = async (s: TestService) => (await s.request('GET /members')).json.length
