/** A client of the demo shop. */

import { client } from 'restwell/client'
import definition from '../../examples/shop.ts'
import { openService } from '../../src/index.ts'
import { admin, adminLogin, adminPassword } from '../service.ts'

export const options = {
  database: 'file::memory:',
  rate: 'off',
  admin: { login: adminLogin, password: adminPassword },
} as const
export const { authorization } = admin

export async function shopping(extra: { retries?: number; fetch?: typeof fetch } = {}) {
  const service = await openService(definition, options)
  const sent: Request[] = []
  const recordingFetch = async (request: Request) => {
    sent.push(request.clone())
    return service.handle(request)
  }
  const api = client<typeof definition>('http://localhost', {
    authorization,
    fetch: recordingFetch,
    ...extra,
  })
  return { service, api, sent, [Symbol.asyncDispose]: () => service.close() }
}

export const tea = { sku: 'TEA', name: 'Tea', price: '4.50' }
