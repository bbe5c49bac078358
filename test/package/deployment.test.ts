/** The files for operators: systemd units, the example with Caddy, the bill of materials. */

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '../../src/operation/configuration/config.ts'
import { folderOf, root } from '../commands/command.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined

test('the guide shows the files of deploy/', () => {
  const guide = read('docs/guide/one-machine.md')
  for (const name of ['restwell.service', 'restwell-backup.service', 'restwell.env', 'Caddyfile']) {
    assert.ok(guide.includes(`\n${read(`deploy/${name}`)}\`\`\``), name)
  }
})

test('the systemd units pass systemd-analyze verify', {
  skip: !isInstalled('systemd-analyze') && 'systemd-analyze is not installed: apt-get install systemd',
}, async (t) => {
  const folder = await folderOf(t)
  const program = join(folder, 'node_modules/.bin/restwell')
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  writeFileSync(program, '')
  chmodSync(program, 0o755)
  const verify = (unit: string, text: string) => {
    // The program must exist.
    writeFileSync(unit, text.replaceAll('/srv/shop', folder))
    return spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  }
  for (const name of ['restwell.service', 'restwell-backup.service']) {
    const { stderr, status } = verify(join(folder, name), read(`deploy/${name}`))
    assert.equal(stderr, '')
    assert.equal(status, 0)
  }
  const faulty = read('deploy/restwell.service').replace('Restart=', 'Restrat=')
  assert.match(verify(join(folder, 'faulty.service'), faulty).stderr, /Restrat/)
})

test('the environment of the example is valid, once it has a password', () => {
  const environment = (text: string) =>
    Object.fromEntries(
      text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.split(/=(.*)/s)),
    )
  const example = read('deploy/restwell.env')
  assert.throws(() => readConfig([], environment(example)), /RESTWELL_ADMIN must be 'login:password'/)
  const chosen = example.replace(/^RESTWELL_ADMIN=.*$/m, '$&correct horse battery staple')
  const { publicUrl, host, backups, admin } = readConfig([], environment(chosen))
  assert.deepEqual([publicUrl, host, backups], ['https://example.org', '127.0.0.1', '/srv/shop/backups'])
  assert.deepEqual(admin, { login: 'admin@example.org', password: 'correct horse battery staple' })
})

test('no file and no guide has a password of the first account to copy', () => {
  const paths = globSync('{README.md,{deploy,docs,examples}/**/*.*}', { cwd: root })
  const passwords = paths.flatMap((path) => read(path).match(/RESTWELL_ADMIN=[^\s:]+@[^\s:]+:\w.*/g) ?? [])
  assert.deepEqual(passwords, [])
})

/** The jobs of a workflow by name. */
function jobsOf(path: string): ReadonlyMap<string, string> {
  const [, jobs = ''] = read(path).split(/^jobs:\n/m)
  const [, ...parts] = jobs.split(/^ {2}(\w+):\n/m)
  return new Map(parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : [])))
}

test('a release is published after the check of every change, without a stored credential', () => {
  const publishers = new Map<string, string>()
  for (const path of globSync('.github/workflows/*.yml', { cwd: root })) {
    for (const [name, job] of jobsOf(path))
      if (job.includes('npm publish')) publishers.set(`${path} ${name}`, job)
    assert.doesNotMatch(read(path), /secrets\.|_TOKEN(?!: \$\{\{ github\.token \}\})/, path)
  }
  assert.deepEqual([...publishers.keys()], ['.github/workflows/release.yml publish'])
  const [publish = ''] = publishers.values()
  assert.match(publish, /^ {4}needs: check$/m)
  assert.match(publish, /^ {6}id-token: write$/m)
  assert.match(publish, /run: npm publish --provenance /)
  const check = jobsOf('.github/workflows/release.yml').get('check')?.trim()
  assert.equal(check, 'uses: ./.github/workflows/check.yml')
  assert.match(read('.github/workflows/check.yml'), /^ {2}workflow_call:$/m)
  assert.match(jobsOf('.github/workflows/check.yml').get('full') ?? '', /run: \.ci\/run$/m)
})

test('actions are pinned by the digest of a commit, with its version', () => {
  const paths = globSync('.github/workflows/*.yml', { cwd: root })
  const uses = paths.flatMap((path) =>
    [...read(path).matchAll(/uses: (.+)/g)].map(([, action = '']) => action),
  )
  assert.ok(uses.length > 3)
  assert.deepEqual(
    uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
    ['./.github/workflows/check.yml'],
  )
})

test('npm run sbom is CycloneDX and has every dependency, less than 30 packages', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { cwd: root })
  const { bomFormat, metadata, components } = JSON.parse(stdout) as {
    bomFormat: string
    metadata: { readonly component: { readonly version: string } }
    components: readonly {
      readonly name: string
      readonly version: string
      readonly hashes: readonly object[]
      readonly licenses: readonly object[]
    }[]
  }
  assert.equal(bomFormat, 'CycloneDX')
  assert.ok(components.length < 30, `${components.length} packages`)
  assert.ok(components.every(({ hashes, licenses }) => hashes.length === 1 && licenses.length === 1))
  const { version, dependencies, devDependencies } = JSON.parse(read('package.json'))
  assert.equal(metadata.component.version, version)
  for (const [name, version] of Object.entries(dependencies)) {
    assert.equal(components.find((component) => component.name === name)?.version, version, name)
  }
  for (const name of Object.keys(devDependencies)) {
    assert.ok(!components.some((component) => component.name === name), name)
  }
})
