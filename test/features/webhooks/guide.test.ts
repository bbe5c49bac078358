/** The functions of the guide verify what the service sends, in each language that this machine has. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createWebhookSecret } from '../../../src/features/webhooks/secret-encryption.ts'
import { signatureFields } from '../../../src/features/webhooks/signature.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../docs/guide/webhooks.md'), 'utf8')

/** How each language runs its function: the file, the code around the function, and the command. */
const languages = [
  {
    name: 'js',
    file: 'verify.mjs',
    program: (code: string, message: string) =>
      `${code}\nconst [secret, headers, body] = ${message}\nconsole.log(verify(secret, headers, body), verify(secret, headers, body + ' '), verify(secret, {}, body))`,
    command: [process.execPath],
    expected: 'true false false',
  },
  {
    name: 'python',
    file: 'verify.py',
    program: (code: string, message: string) =>
      `${code}\nsecret, headers, text = ${message}\nbody = text.encode()\nprint(verify(secret, headers, body), verify(secret, headers, body + b" "), verify(secret, {}, body))`,
    command: ['python3'],
    expected: 'True False False',
  },
  {
    name: 'go',
    file: 'verify.go',
    program: (code: string, message: string) => {
      const [secret, headers, body] = JSON.parse(message)
      const members = Object.entries(headers).map(
        ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
      )
      const given = `${JSON.stringify(secret)}, map[string]string{${members.join(', ')}}, ${JSON.stringify(body)}`
      return `${code.replace('import (', 'import (\n\t"fmt"')}\nfunc main() {\n\tfmt.Println(verify(${given}), verify(${given} + " "))\n}\n`
    },
    command: ['go', 'run'],
    expected: 'true false',
  },
] as const

for (const { name, file, program, command, expected } of languages.filter(({ command }) =>
  isInstalled(command[0]),
)) {
  test(`the function for ${name} accepts a message of the service and refuses a changed one`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'restwell-verify-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const code = new RegExp(`\`\`\`${name}[^\\n]*\\n(.*?)\`\`\``, 's').exec(guide)?.[1] ?? ''
    const [secret, body] = [createWebhookSecret(), '{"type":"ping"}']
    const message = { id: 'msg_1', timestamp: Math.floor(Date.now() / 1000), body }
    const headers = signatureFields(message, [createWebhookSecret(), secret])
    writeFileSync(join(folder, file), program(code, JSON.stringify([secret, headers, body])))
    const [run, ...args] = command
    const output = execFileSync(run, [...args, join(folder, file)], { encoding: 'utf8', cwd: folder })
    assert.equal(output.trim(), expected)
  })
}

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, command === 'go' ? ['version'] : ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
