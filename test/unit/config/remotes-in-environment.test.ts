import { expect, test } from 'vitest';
import {
  backendOptionInEnvironment,
  remoteKeyInEnvironment,
  remotesInEnvironment,
} from '../../../src/config/remotes-in-environment.ts';

const isType = (type: string) => ['s3', 'local'].includes(type);

test("variables of rclone are read where syncer's own are not set", () => {
  const env = {
    RCLONE_CONFIG_X_ENDPOINT: 'theirs',
    RCLONE_CONFIG_X_REGION: 'theirs',
    SYNCER_CONFIG_X_REGION: 'ours',
    RCLONE_S3_ENDPOINT: 'all',
    RCLONE_S3_PROVIDER: 'Other',
    SYNCER_S3_PROVIDER: '',
  };
  expect(remoteKeyInEnvironment(env, 'x', 'endpoint')?.value).toBe('theirs');
  expect(remoteKeyInEnvironment(env, 'x', 'region')).toEqual({
    name: 'SYNCER_CONFIG_X_REGION',
    value: 'ours',
  });
  expect(remoteKeyInEnvironment(env, 'y', 'region')).toBeUndefined();
  expect(backendOptionInEnvironment(env, 's3', 'endpoint')?.value).toBe('all');
  expect(backendOptionInEnvironment(env, 's3', 'provider')?.value).toBe('');
});

test('remotes that either names are there once', () => {
  const env = {
    RCLONE_CONFIG_A_TYPE: 's3',
    SYNCER_CONFIG_A_TYPE: 'local',
    RCLONE_CONFIG_B_TYPE: 'other',
    RCLONE_CONFIG_A_DRIVE_TYPE: 'business',
    RCLONE_CONFIG: '/etc/rclone.conf',
    RCLONE_CONFIG_PASS: 'x',
  };
  expect(remotesInEnvironment(env, [], isType)).toEqual(['a', 'b']);
});
