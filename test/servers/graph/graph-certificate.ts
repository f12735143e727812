/** Where uploads, downloads and monitors are, for clients that come through the proxy. */
export const CONTENT_HOST = 'contoso-my.sharepoint.com';

/**
 * A certificate that nobody trusts, made for the tests and good for a hundred years: for localhost, 127.0.0.1, and for
 * the hosts of Graph and of the sign-in in every cloud, so that a client with these built in can be led here by a proxy.
 */
export const GRAPH_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIICwjCCAmegAwIBAgIUDZMA3qfkX9Ps1hc74dAtEED3NA4wCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWR3JhcGggc2VydmVyIGZvciB0ZXN0czAgFw0yNjExMjAxMzM5
MTVaGA8yMTI2MTAyNzEzMzkxNVowITEfMB0GA1UEAwwWR3JhcGggc2VydmVyIGZv
ciB0ZXN0czBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKzBTVje0a5PVU80n5a7
NP00xybxuMLq2MrWEQaZzYVT1CFWWbmp/jSBRW9WUmEUH99ZZFDIPvat9PsencHL
0k2jggF5MIIBdTAdBgNVHQ4EFgQUUR00bnOEFacuH8fpxpUtGjZ5VDMwHwYDVR0j
BBgwFoAUUR00bnOEFacuH8fpxpUtGjZ5VDMwDwYDVR0TAQH/BAUwAwEB/zCCASAG
A1UdEQSCARcwggETgglsb2NhbGhvc3SHBH8AAAGCE2dyYXBoLm1pY3Jvc29mdC5j
b22CEmdyYXBoLm1pY3Jvc29mdC51c4ISZ3JhcGgubWljcm9zb2Z0LmRlgh9taWNy
b3NvZnRncmFwaC5jaGluYWNsb3VkYXBpLmNughlsb2dpbi5taWNyb3NvZnRvbmxp
bmUuY29tghhsb2dpbi5taWNyb3NvZnRvbmxpbmUudXOCGGxvZ2luLm1pY3Jvc29m
dG9ubGluZS5kZYIWbG9naW4uY2hpbmFjbG91ZGFwaS5jboIgbG9naW4ucGFydG5l
ci5taWNyb3NvZnRvbmxpbmUuY26CGWNvbnRvc28tbXkuc2hhcmVwb2ludC5jb20w
CgYIKoZIzj0EAwIDSQAwRgIhAJ9BIRZ0M0ES60DoTb05Ifqvud6BsYhj4AMg0RdY
2amLAiEAgcXkRCy13Yakkdgl0RY0g4EU+Jq4DexycpHi2SJnFuQ=
-----END CERTIFICATE-----
`;

/** Its key, which protects nothing. */
export const GRAPH_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaG6i8qvfLtgeS8go
9ByTXgYQd7GOZNZ643t+znlav1ShRANCAASswU1Y3tGuT1VPNJ+WuzT9NMcm8bjC
6tjK1hEGmc2FU9QhVlm5qf40gUVvVlJhFB/fWWRQyD72rfT7Hp3By9JN
-----END PRIVATE KEY-----
`;
