/** The SQLite store keeps the contract. */

import { openSqliteStore } from '../../src/store/sqlite/open-sqlite.ts'
import { storeContract } from './contract.ts'

storeContract('SQLite', (schema) => openSqliteStore({ temporary: true, schema, observe: () => undefined }))
