/** A collection with a new name is 301 at its former one. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service } from 'restwell'
import type { AnyDefinition } from '../../src/definition/service-definition.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { migrate } from '../../src/store/schema/run-migration.ts'
import { lastingDatabase } from '../database.ts'
import { serve } from '../service.ts'
import { leadsTo, make, rename, things } from './moved-item.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

test('a renamed collection is 301 for itself and its items, for every method, also for moved items', async (t) => {
  const database = await lastingDatabase(t)
  const called = (name: string, formerly: string[]) =>
    service({
      title: 'T',
      resources: { [name]: resource(things, { key: 'sku', access: open, formerly }) },
    })
  {
    await using s = await serve(called('goods', []), { database })
    await make(s, '/goods', { sku: 'a' })
    await rename(s, '/goods/a', 'b')
  }
  const migrated = (to: AnyDefinition) => migrate(database, schemaOf(checkDefinition(to)), 'safe')
  await migrated(called('wares', ['goods']))
  {
    await using s = await serve(called('wares', ['goods']), { database })
    leadsTo(await s.request('GET /wares/a'), '/wares/b')
  }
  await migrated(called('products', ['wares', 'goods']))
  await using s = await serve(called('products', ['wares', 'goods']), { database })
  for (const former of ['goods', 'wares']) {
    leadsTo(await s.request(`GET /${former}?limit=1`), '/products?limit=1')
    leadsTo(await s.request(`POST /${former}`, {}, { sku: 'x' }), '/products')
    leadsTo(await s.request(`OPTIONS /${former}`), '/products')
    leadsTo(await s.request(`DELETE /${former}/b?x=1`), '/products/b?x=1')
    leadsTo(await s.request(`PATCH /${former}/b`, {}, { sku: 'x' }), '/products/b')
  }
  leadsTo(await s.request('GET /products/a'), '/products/b')
  assert.equal((await s.request('GET /products/b')).status, 200)
})
