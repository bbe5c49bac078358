/** The SQLite store keeps the contract. */

import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { storeContract } from './contract.ts'

storeContract('SQLite', (schema) =>
  openSqliteStore({ temporary: true, schema, notice: () => undefined }),
)
