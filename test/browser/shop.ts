/** The demo with accounts and items, for tests of its HTML pages. */

import shop from '../../examples/shop.ts'
import { admin, basic, serve, type TestService } from '../service.ts'

export const password = 'a password of twenty'

export const people = {
  member: 'member@example.org',
  editor: 'editor@example.org',
  other: 'other@example.org',
} as const

/** Served with a member, an editor, and so many products. */
export async function openShop(products = 0): Promise<TestService> {
  const service = await serve(shop)
  const { request } = service
  for (const [name, email] of Object.entries(people)) {
    const created = await request('POST /users', {}, { email, name: `The ${name}`, password })
    if (name === 'editor') await request(`PATCH ${created.fields.location}`, admin, { role: 'editor' })
  }
  for (let number = 1; number <= products; number += 1) {
    const sku = `TEA-${String(number).padStart(3, '0')}`
    const price = `${number}.50`
    await request('POST /products', admin, {
      sku,
      name: `Tea number ${number}`,
      price,
      stock: number % 7,
    })
  }
  return service
}

export function as(who: keyof typeof people) {
  return basic(people[who], password)
}
