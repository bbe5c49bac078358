/**
 * The used parts of `node:http` and `node:util`. Importing these modules by name makes Node load
 * all their lazy parts, such as the client of fetch, which costs a tenth of start time and memory.
 */

export const { createServer, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http')
export const { isDeepStrictEqual, parseArgs, promisify, styleText } = process.getBuiltinModule('node:util')
