/** A file system of its own that is soon full; only root can make one. */

import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { folderOf } from './command.ts'

/** Works in a folder with so much room, such as `8m`; skips the test aloud where there is none. */
export async function onSmallDisk(
  t: TestContext,
  size: string,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await folderOf(t)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  if (mounted.status !== 0)
    return t.skip('Mounting is not permitted: run as root, in a container with --privileged.')
  try {
    await work(folder)
  } finally {
    spawnSync('umount', ['--lazy', folder])
  }
}
