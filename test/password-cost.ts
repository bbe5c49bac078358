/** The cost of password hashes in tests: the lowest that argon2id allows. */

import type { PasswordCost } from '../src/access/password.ts'

export const cheapPasswords: PasswordCost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }
