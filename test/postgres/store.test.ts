/** The PostgreSQL store keeps the contract. */

import { openPostgresStore } from '../../src/store/postgres/open-postgres.ts'
import { postgres } from '../postgres.ts'
import { storeContract } from '../store/contract.ts'

storeContract('PostgreSQL', async (schema) => {
  const cluster = await postgres()
  return openPostgresStore({ url: cluster.freshUrl(), schema, observe: () => undefined })
})
